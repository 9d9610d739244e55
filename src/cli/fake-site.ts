import { existsSync, readFileSync } from 'node:fs';

/** What the command serves beside the regions and the control: the page and its parts, and the service's description. */
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['page/index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page/page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page/page.css', 'text/css; charset=utf-8'],
  '/openapi.json': ['../../openapi.json', 'application/json'],
};

/** Nothing but the page's own files: no inline script, no other host, no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers a request for one of the files; undefined for any other. */
export function site(request: Request): Response | undefined {
  const { pathname } = new URL(request.url);
  const [name, type] = (Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined) ?? [];
  if (name === undefined || type === undefined || request.method !== 'GET') return undefined;
  const file = new URL(name, import.meta.url);
  // The page is made by the build.
  if (!existsSync(file)) return undefined;
  const headers = {
    'content-type': type,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  };
  return new Response(readFileSync(file), { headers });
}
