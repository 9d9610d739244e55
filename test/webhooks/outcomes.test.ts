import type { DedupeStore, DeliveryOutcome } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { delivery, envelope } from './deliveries.js';
import { failing, fakeTime, forgetful, never, type Options, pass, setUp } from './receivers.js';

const throwing = () => {
  throw new Error('no');
};
// biome-ignore lint/suspicious/noThenProperty: a query builder runs when it is awaited.
const query = () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('no')) });
const nested = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
const dedupe = (store: Partial<DedupeStore>) => ({ dedupe: { ...forgetful, ...store } });
const store = (store: () => unknown) => ({ inbox: { store: store as () => Promise<unknown> } });

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  /** The handler. Default: one that succeeds. */
  readonly run?: (() => unknown) | undefined;
}

/** The outcome of a delivery, its status, and how it is reported: by its refusal, or by the stages of its failures. */
type Row = [what: string, outcome: DeliveryOutcome, status: number, report: string, Options?, Sent?];

const rows: readonly Row[] = [
  ['a handler that succeeds', 'handled', 200, ''],
  ['no handler', 'no_handler', 200, '', {}, { run: undefined }],
  ['a handler that throws', 'handler_failed', 500, 'handler', {}, { run: throwing }],
  ['a handler that rejects', 'handler_failed', 500, 'handler', {}, { run: failing }],
  ['a query of a library that fails', 'handler_failed', 500, 'handler', {}, { run: query }],
  ['a handler that never settles', 'deadline_passed', 500, 'deadline', { dedupe: false }, { run: never }],
  ['what was handled before', 'duplicate', 200, '', dedupe({ claim: () => 'done' })],
  ['what another handles for ever', 'duplicate_pending', 503, '', dedupe({ claim: () => 'pending' })],
  ['a claim that fails', 'handled', 200, 'dedupe', dedupe({ claim: failing })],
  ['a claim that throws', 'handled', 200, 'dedupe', dedupe({ claim: throwing })],
  ['a claim that never settles', 'handled', 200, 'dedupe', dedupe({ claim: never })],
  ['a claim that is nonsense', 'handled', 200, 'dedupe', dedupe({ claim: () => 'OK' as 'new' })],
  ['a completion that fails', 'handled', 200, 'dedupe', dedupe({ complete: failing })],
  ['a completion that never settles', 'handled', 200, 'dedupe', dedupe({ complete: never })],
  [
    'a release that fails',
    'handler_failed',
    500,
    'handler dedupe',
    dedupe({ release: failing }),
    { run: failing },
  ],
  ['an object that has no key', 'internal_error', 500, 'dedupe', {}, { body: envelope('later', { nested }) }],
  ['an inbox', 'stored', 200, '', store(async () => undefined)],
  ['an inbox that returns at once', 'stored', 200, '', store(() => undefined)],
  ['an inbox that fails', 'not_stored', 500, 'inbox', store(failing)],
  ['an inbox that throws', 'not_stored', 500, 'inbox', store(throwing)],
  ['an inbox that never settles', 'not_stored', 500, 'inbox', store(never)],
  ['a loader that fails', 'secret_failed', 500, 'secret', { secret: failing }],
  ['a loader that never settles', 'secret_failed', 500, 'secret', { secret: never }],
  ['a `verifySecret` that fails', 'secret_failed', 500, 'secret', { verifySecret: failing }],
  ['a `verifySecret` that throws', 'secret_failed', 500, 'secret', { verifySecret: throwing }],
  ['a `verifySecret` that never settles', 'secret_failed', 500, 'secret', { verifySecret: never }],
  [
    'an event without its id',
    'invalid_event',
    400,
    'validation',
    {},
    { body: envelope('agent_deleted', { agentId: null }) },
  ],
  [
    'no type, for an inbox',
    'invalid_event',
    400,
    'validation',
    store(never),
    { body: { ...envelope('later'), type: 1 } },
  ],
  [
    'a wrong secret',
    'verification_failed',
    401,
    'refused',
    {},
    { body: delivery('later', { workspaceSecret: 'forged' }) },
  ],
  ['half a body', 'not_json', 400, 'refused', {}, { body: delivery('later').slice(0, -1) }],
  ['a large body', 'body_too_large', 413, 'refused', { maxBodyBytes: 20 }, { body: 'x'.repeat(21) }],
  ['a body that fails', 'body_unreadable', 400, 'refused', {}, { body: failing }],
  ['a body that never comes', 'body_unreadable', 400, 'refused', {}, { body: never }],
  ['another method', 'method_not_allowed', 405, 'refused', {}, { method: 'PUT' }],
];

function typeOf(body: unknown): string | undefined {
  const { type } = (typeof body === 'string' ? JSON.parse(body) : body) as { readonly type: unknown };
  return typeof type === 'string' ? type : undefined;
}

test.each(rows)('%s: %s', async (_what, outcome, status, report, options = {}, sent = {}) => {
  fakeTime();
  const { receiver, deliveries, rejections, stages, lines } = setUp({ logLevel: 'info', ...options });
  const { method = 'POST', body = delivery('lead_captured'), run = () => undefined } = sent;
  const isHandled = options.inbox === undefined && (!('run' in sent) || sent.run !== undefined);
  if (isHandled) receiver.onAny(run);
  const responding = receiver.handle({ method, body: typeof body === 'function' ? body() : body });
  await pass(55_000);
  const response = await responding;
  const deliveryId = response.headers['x-delivery-id'];
  expect(response).toStrictEqual({
    status,
    headers: {
      'x-delivery-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...(status !== 200 && { 'content-type': 'application/json' }),
      ...(status === 405 && { allow: 'POST' }),
    },
    body: status === 200 ? '' : JSON.stringify({ message: outcome.replaceAll('_', ' '), code: outcome }),
  });
  expect(rejections).toMatchObject(report === 'refused' ? [{ reason: outcome, status, deliveryId }] : []);
  expect(stages().join(' ')).toBe(report === 'refused' ? '' : report);
  // One line for each failure, and one for the delivery.
  const levels = lines
    .filter((line) => line.includes(`delivery ${deliveryId}`))
    .map((line) => line.split(' ')[0]);
  expect(levels).toEqual(report === 'refused' ? ['warn'] : [...stages().map(() => 'error'), 'info']);
  const type = ['refused', 'secret'].includes(report) ? undefined : typeOf(body);
  const size = typeof body === 'string' && method === 'POST' ? Buffer.byteLength(body) : undefined;
  const durationMs = expect.any(Number) as number;
  expect(deliveries).toEqual([
    expect.objectContaining({ deliveryId, type, outcome, status, size, durationMs }),
  ]);
  await pass(60_000);
  expect(vi.getTimerCount()).toBe(0);
});
