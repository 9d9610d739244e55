import { MASK } from '../../utils/redact.js';
import { FORGED_SECRET } from '../../webhooks/authenticate.js';
import type { FakeRequest } from '../fake/requests.js';
import type { DeliveryRecord } from '../sending/post.js';

/** A request as a curl command. Its token is the variable of the settings. */
export function curlOfRequest(request: FakeRequest, origin: string): string {
  const { method, region, path, query, headers, body } = request;
  const url = `${origin}${region === undefined ? '' : `/${region}/v3`}${path}${query}`;
  const type = headers['content-type'];
  // With -X, curl would wait for the body of a HEAD.
  const verb = method === 'HEAD' ? '--head' : `-X ${method}`;
  return [
    `curl ${verb} ${exactly(url)}${quote(url)}`,
    ...(headers.authorization === undefined ? [] : ['-H "authorization: Bearer $AGENT_PLATFORM_TOKEN"']),
    ...(type === undefined ? [] : [`-H ${quote(`content-type: ${type}`)}`]),
    ...(body === undefined ? [] : [`--data-raw ${quote(textOf(body))}`]),
  ].join(' \\\n  ');
}

/** A delivery as a curl command. Its secret is the variable of the settings; that of a forged one is wrong. */
export function curlOfDelivery({ type, payload, address, secretOf }: DeliveryRecord): string {
  const secret = `"workspaceSecret":"${MASK}"`;
  const variable = `"workspaceSecret":"'"$AGENT_PLATFORM_WEBHOOK_SECRET"'"`;
  const forged = `"workspaceSecret":"${FORGED_SECRET}"`;
  const body = quote(textOf({ type, payload })).replace(secret, () =>
    secretOf === undefined ? forged : variable,
  );
  return `curl ${exactly(address)}${quote(address)} \\\n  -H 'content-type: application/json' \\\n  --data-raw ${body}`;
}

/** Options for an address that curl would change: it expands brackets, and removes dots. */
function exactly(url: string): string {
  return `${/[[\]{}]/.test(url) ? '--globoff ' : ''}${/\/\.\.?(\/|\?|$)/.test(url) ? '--path-as-is ' : ''}`;
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** A text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
