import { MASK, redact } from '../../utils/redact.js';
import { REGIONS, type Region } from '../../utils/regions.js';
import { collectionNames, wordFor } from '../fake/records/kinds.js';
import type { FakeState } from '../fake/records/records.js';
import { seed } from '../fake/records/seed.js';
import type { FakeRequest } from '../fake/requests.js';
import type { DeliveryRecord } from '../sending/post.js';
import { failureOfRequest } from './describe.js';

/** A request as a curl command. Its token is the variable of the settings. */
export function curlOfRequest(request: FakeRequest, origin: string): string {
  const { method, region, path, query, headers, body } = request;
  const type = headers['content-type'];
  return [
    `curl -X ${method} ${quote(`${origin}${region === undefined ? '' : `/${region}/v3`}${path}${query}`)}`,
    ...(headers.authorization === undefined ? [] : ['-H "authorization: Bearer $AGENT_PLATFORM_TOKEN"']),
    ...(type === undefined ? [] : [`-H ${quote(`content-type: ${type}`)}`]),
    ...(body === undefined ? [] : [`-d ${quote(typeof body === 'string' ? body : JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** A delivery as a curl command. Its secret is the variable of the settings. */
export function curlOfDelivery({ type, payload, address }: DeliveryRecord): string {
  const secret = `"workspaceSecret":"${MASK}"`;
  const variable = `"workspaceSecret":"'"$AGENT_PLATFORM_WEBHOOK_SECRET"'"`;
  const body = quote(JSON.stringify({ type, payload })).replace(secret, () => variable);
  return `curl ${quote(address)} \\\n  -H 'content-type: application/json' \\\n  -d ${body}`;
}

/** A text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A test that repeats a request: its records, its fault, its call, its status. */
export function testOfRequest(request: FakeRequest, state: FakeState): string {
  const { region = 'eu', method, path, query, body, status, secretOf } = request;
  const options = { query: query === '' ? undefined : Object.fromEntries(new URLSearchParams(query)), body };
  const call = `platform.request(${literal(method)}, ${literal(path)}${lastArgument(options)})`;
  const isRefused = status !== undefined && status >= 400;
  const isBroken = failureOfRequest(request) !== undefined;
  return testCode(`${method} ${path}`, 'AgentPlatform', [
    ...recordLines(state, region, [...path.split('/'), secretOf]),
    ...faultLines(request),
    `const token = ${secretExpression(state, secretOf)};`,
    'const options = { baseUrls: fake.baseUrls, fetch: fake.fetch, maxRetries: 0, timeout: 1_000 };',
    `const platform = new AgentPlatform({ region: '${region}', token, ...options });`,
    isRefused
      ? `await expect(${call}).rejects.toMatchObject({ status: ${status} });`
      : `await ${call}${isBroken ? '.catch(() => undefined)' : ''};`,
    `expect(fake.requests.at(-1)?.status).toBe(${status});`,
  ]);
}

/** A test that sends the event of a delivery to a receiver in process. */
export function testOfDelivery(delivery: DeliveryRecord, state: FakeState): string {
  const { type, region, secretOf, payload } = delivery;
  const workspaceId = secretOf ?? seed[region].workspaceId;
  const owner = workspaceId === seed.eu.workspaceId ? {} : { region, workspaceId };
  const forged = secretOf === undefined ? true : undefined;
  const fields = literal({ ...payload, workspaceSecret: undefined });
  return testCode(`${forged ? 'a forged ' : ''}${type}`, 'createWebhookReceiver', [
    ...recordLines(state, region, [secretOf]),
    `const secret = ${secretExpression(state, workspaceId)};`,
    'const receiver = createWebhookReceiver({ secret }).onAny(() => undefined); // your handlers',
    `fake.webhooks.subscribe(receiver${lastArgument(owner)});`,
    `const [delivery] = await fake.webhooks.send(${literal(type)}, ${fields}${lastArgument({ ...owner, forged })});`,
    `expect(delivery?.status).toBe(${forged ? 401 : 200});`,
  ]);
}

function testCode(title: string, used: string, lines: readonly string[]): string {
  return `import { ${used} } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';

test(${literal(title)}, async () => {
  const fake = createFakePlatform();
${lines.map((line) => `  ${line}\n`).join('')}});
`;
}

/** Adds the records that are named, and those they refer to, unless they are in a new fake. */
function recordLines(state: FakeState, region: Region, named: readonly (string | undefined)[]): string[] {
  const ids = new Set<unknown>(named);
  const seeded = Object.values<string>({ ...seed[region] });
  const lines: string[] = [];
  // From the last collection to the first, because records refer to those of the collections above.
  for (const name of [...collectionNames].reverse()) {
    for (const [key, record] of state[region][name]) {
      const isNamed = ids.has(encodeURIComponent(key)) || key.split('/').every((id) => ids.has(id));
      if (!isNamed || key.split('/').every((id) => seeded.includes(id))) continue;
      // Without its secret, which a new fake makes up again.
      const fields = { ...record, secret: undefined };
      for (const value of Object.values<unknown>(fields)) ids.add(value);
      lines.unshift(`fake.add.${region}.${wordFor(name)}(${literal(redact(fields))});`);
    }
  }
  return lines;
}

/** Injects the fault of a request again. A client that went away had waited for too long. */
function faultLines({ fault, endpoint, region, status, response }: FakeRequest): string[] {
  if (fault === undefined && status !== undefined) return [];
  const isReplaced = fault === 'status' || fault === 'rate-limit';
  const input = {
    kind: isReplaced ? undefined : (fault ?? 'latency'),
    ms: fault === undefined ? 60_000 : undefined,
    status: isReplaced ? status : undefined,
    at: fault === 'reset' && status !== undefined ? 'body' : undefined,
    body: isReplaced ? (response ?? '') : undefined,
  };
  return [`fake.faults.inject(${literal({ ...input, endpoint, region })});`];
}

/** Where a test finds the secret of a workspace or an agent. */
function secretExpression(state: FakeState, holder = ''): string {
  for (const region of REGIONS) {
    const handle = Object.entries(seed[region]).find(([, id]) => id === holder)?.[0];
    if (handle !== undefined) return `fake.seed.${region}.${handle.replace(/Id$/, 'Secret')}`;
    for (const name of ['workspaces', 'agents'] as const) {
      if (state[region][name].has(holder))
        return `fake.state.${region}.${name}.get(${literal(holder)})?.secret`;
    }
  }
  return "'an-unknown-token'";
}

/** The last argument of a call; none if it has no fields. */
function lastArgument(options: object): string {
  const text = literal(options);
  return text === '{}' ? '' : `, ${text}`;
}

/** A JSON value as TypeScript, on one line. */
function literal(value: unknown): string {
  const json = JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, ' ');
  return json.replaceAll(/"((?:\\.|[^"\\])*)"(:?)/g, (quoted, text: string, colon: string) => {
    if (colon !== '' && /^[A-Za-z_$][\w$]*$/.test(text)) return `${text}:`;
    return /[\\']/.test(text) ? quoted : `'${text}'${colon}`;
  });
}
