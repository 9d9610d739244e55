import { isBrowser, runtimeName } from '../../ground/environment.js';
import { VERSION } from '../../ground/version.js';
import type { AttemptContext } from './attempt-context.js';

/** The headers of a request, without `authorization`. Names are in lower case, so that none stands twice. */
export function requestHeaders({ call, request }: AttemptContext): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  userAgent ??= `agent-platform-sdk/${VERSION} (${runtimeName()})`;
  // Browsers set their own, and treat ours as a reason for a CORS preflight.
  if (!isBrowser()) headers['user-agent'] = userAgent;
  Object.assign(headers, call.headers);
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  return headers;
}

let userAgent: string | undefined;
