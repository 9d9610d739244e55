import { inspect } from 'node:util';
import {
  AgentPlatformError,
  createWebhookReceiver,
  type Drift,
  type Issue,
  parseWebhook,
  RequestValidationError,
  redact,
} from 'agent-platform-sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { outcomeOf } from '../support/outcome.js';
import { answering } from './doors.js';
import { hostile } from './hostile.js';
import { isSame } from './same.js';

const secret = 'secret-of-the-reliability-tests';
/** The most issues in an error or a report: a hundred, and a count of the rest. */
const MAX_ISSUES = 101;
const MAX_TEXT = 200_000;

let prototypes: string;
const lookAtPrototypes = () =>
  inspect(
    [Object, Array, String, Function].map(({ prototype }) => Object.getOwnPropertyDescriptors(prototype)),
  );

beforeEach(() => {
  prototypes = lookAtPrototypes();
});

afterEach(() => {
  if (lookAtPrototypes() !== prototypes) throw new Error('a prototype was touched');
});

function expectBounded(issues: readonly Issue[] = []): void {
  expect(issues.length).toBeLessThanOrEqual(MAX_ISSUES);
}

/** A typed error, which does not grow with what was sent. */
function expectShort(error: unknown): void {
  expect(error).toBeInstanceOf(AgentPlatformError);
  const { message, issues, rawBody = '' } = error as { message: string; issues?: Issue[]; rawBody?: string };
  expect(message.length).toBeLessThan(MAX_TEXT);
  expect(new TextEncoder().encode(rawBody).byteLength).toBeLessThanOrEqual(16 * 1024);
  expectBounded(issues);
}

test.each(hostile)('$what in an open record is passed on as sent', async ({ members }) => {
  const text = `{"success":true,"data":{"id":"t1",${members}}}`;
  const { platform } = answering(text, { hooks: { onDrift: () => expect.unreachable() } });
  const tool = await platform.tools.get('t1');
  expect(isSame(tool, JSON.parse(text).data)).toBe(true);
});

test.each(hostile)('$what in a closed record is reported, and refused in strict', async ({ members }) => {
  const text = `{"success":true,"message":"m","clients":[{"ID":"c1",${members}}],"teams":[]}`;
  const drifts: Drift[] = [];
  const { platform } = answering(text, { hooks: { onDrift: (drift) => void drifts.push(drift) } });
  const { clients } = await platform.orgs.listMembersAndTeams('o1');
  expect(isSame(clients, JSON.parse(text).clients)).toBe(true);
  expect(drifts).toHaveLength(1);
  expectBounded(drifts[0]?.issues);
  const strict = answering(text, { validation: 'strict' }).platform;
  const error = await strict.orgs.listMembersAndTeams('o1').catch((thrown) => thrown);
  expect(error).toMatchObject({ type: 'response_validation_error' });
  expectShort(error);
});

test.each(hostile)('$what in the place of a record is a typed error', async ({ members }) => {
  const { platform } = answering(`{"success":true,"data":{"id":{${members}}}}`);
  const outcome = await outcomeOf(platform.tools.get('t1'));
  expect(outcome.type).toBe('response_validation_error');
  if ('error' in outcome) expectShort(outcome.error);
});

test.each(hostile)('$what in an error body is that error', async ({ members }) => {
  const text = `{"message":"no","code":"c",${members},"issues":[{"message":"i",${members}}]}`;
  const { platform } = answering('', {
    fetch: () => Promise.resolve(new Response(text, { status: 403 })),
  });
  const outcome = await outcomeOf(platform.tools.get('t1'));
  // Of a larger body only the start is read.
  const code = text.length > 2 ** 20 ? undefined : 'c';
  expect(outcome).toMatchObject({ type: 'permission_denied_error', error: { code } });
  if ('error' in outcome) expectShort(outcome.error);
});

test.each(hostile)('$what in a payload is passed on as sent', async ({ members }) => {
  const event = (payload: string) => `{"type":"webhook_test","payload":{${payload}}}`;
  const body = event(`"message":"m","createdAt":1,${members},"workspaceSecret":"${secret}"`);
  const expected = JSON.parse(event(`"message":"m","createdAt":1,${members}`));
  for (const received of [body, new TextEncoder().encode(body), JSON.parse(body)]) {
    expect(isSame(parseWebhook(received, { secret, validation: 'strict' }), expected)).toBe(true);
  }
  const seen: unknown[] = [];
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).onAny((one) => void seen.push(one));
  for (const received of [body, body, JSON.parse(body)]) {
    expect((await receiver.handle({ method: 'POST', body: received })).status).toBe(200);
  }
  expect(seen.every((one) => isSame(one, expected))).toBe(true);
});

test.each(hostile)('$what without the secret is refused, in any place', async ({ members }) => {
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).onAny(() => expect.unreachable());
  for (const body of [`{${members}}`, `{"type":{${members}},"payload":{${members}}}`, `[{${members}}]`]) {
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(401);
    expect(() => parseWebhook(body, { secret })).toThrow(AgentPlatformError);
  }
});

test.each(hostile)('$what is redacted without harm', ({ members }) => {
  const value: unknown = JSON.parse(`{"magicCode":"hidden",${members}}`);
  const redacted = JSON.stringify(redact(value));
  expect(redacted).toContain('"magicCode":"[redacted]"');
  expect(redacted).not.toContain('hidden');
});

test.each(hostile)('$what in an argument is sent as it is, or refused', async ({ members }) => {
  const { platform, sent } = answering('{"success":true,"data":{"id":"v1"}}');
  const value: unknown = JSON.parse(`{${members}}`);
  const outcome = await outcomeOf(platform.variables.create('a1', { key: 'k', value }));
  if (!('error' in outcome)) return expect(sent).toHaveLength(1);
  // JSON has no form for an infinite number, and the native writer none for what is too deep.
  expect(outcome.error).toBeInstanceOf(RequestValidationError);
  expect(sent).toEqual([]);
});

/** Counts how often a value, and all that is in it, is looked at. */
function counted(value: object, count: () => void): object {
  const proxies = new WeakMap<object, object>();
  const wrap = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    const made =
      proxies.get(part) ??
      new Proxy(part, {
        get: (target, key, receiver) => {
          count();
          return wrap(Reflect.get(target, key, receiver));
        },
      });
    proxies.set(part, made);
    return made;
  };
  return wrap(value) as object;
}

test.each([
  [
    'fields',
    (size: number) => Object.fromEntries(Array.from({ length: size }, (_, index) => [`f${index}`, index])),
  ],
  ['elements', (size: number) => ({ list: Array.from({ length: size }, (_, index) => ({ index })) })],
  [
    'levels',
    (size: number) => {
      let value: object = {};
      for (let level = 0; level < Math.min(size, 4_000); level += 1) value = { value };
      return value;
    },
  ],
])('the work for a webhook grows with its %s, and no faster', (_, make) => {
  const workFor = (size: number) => {
    let looks = 0;
    const payload = { message: 'm', createdAt: 1, ...make(size), workspaceSecret: secret };
    const body = counted({ type: 'webhook_test', payload }, () => {
      looks += 1;
    });
    parseWebhook(body, { secret });
    redact(body);
    return looks;
  };
  expect(workFor(4_000)).toBeLessThanOrEqual(10 * workFor(400));
});
