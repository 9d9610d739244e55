import { existsSync, readFileSync } from 'node:fs';
import { REGIONS } from '../ground/regions.js';
import { createFixtures } from '../testing/fixtures/fixtures.js';
import { type WebhookEventType, webhookEvents } from '../webhooks/events.js';

/** The files that the command serves beside the regions and the control: the page and its parts, and the service's description. */
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
  if (pathname === '/events.json') return Response.json(eventFixtures());
  const [name, type] = FILES[pathname] ?? [];
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

/** The fixture of each event in each region, for the forms of the page. */
function eventFixtures(): object {
  // The keys of the table are the types.
  const types = Object.keys(webhookEvents) as WebhookEventType[];
  const each = types.map((type) => {
    const payloads = REGIONS.map(
      (region) => [region, createFixtures({ region }).event(type).payload] as const,
    );
    return [type, Object.fromEntries(payloads)] as const;
  });
  return Object.fromEntries(each);
}
