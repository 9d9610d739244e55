import type { FaultInput } from 'agent-platform-sdk/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  addFaults,
  createClient,
  expectOutcome,
  fake,
  rejectionOf,
  respond,
  response,
  seed,
} from '../support/client.js';

const refusal = { message: 'no', code: 'no' };

const faults: [string, FaultInput, boolean][] = [
  ...[400, 401, 403, 404, 409, 418, 422, 429].map((status): [string, FaultInput, boolean] => [
    `a ${status} with the error body`,
    { status },
    false,
  ]),
  ...[408, 500, 501, 502, 503, 504, 520, 599, 302, 307].map((status): [string, FaultInput, boolean] => [
    `a ${status} with the error body`,
    { status },
    true,
  ]),
  ['a 403 with HTML', { status: 403, body: '<h1>403</h1>' }, false],
  ['a 500 with HTML', { status: 500, body: '<h1>500</h1>' }, true],
  ['a 502 with an empty body', { status: 502, body: '' }, true],
  ['a 200 with HTML', { status: 200, body: '<h1>200</h1>' }, true],
  ['a 200 with truncated JSON', { kind: 'truncated' }, true],
  ['a 200 of a wrong shape', { status: 200, body: [] }, true],
  ['success: false', { status: 200, body: { success: false, message: 'no' } }, true],
  ['a reset connection', { kind: 'reset' }, true],
  ['a body that is cut off', { kind: 'reset', at: 'body' }, true],
  ['a body that stalls', { kind: 'stall' }, true],
];

test.each(faults)('%s', async (_, fault, unknown) => {
  const connected = () => {
    fake.faults.clear();
    addFaults(fault);
    return createClient({ token: seed.workspaceSecret, timeout: fault.kind === 'stall' ? 100 : 20_000 });
  };
  await expectOutcome(connected, unknown);
});

test('isGood: false of a release may have taken effect', async () => {
  respond(response(200, { isGood: false, errors: 'no such number' }));
  const number = { workspaceId: 'w1', phoneNumberSid: 'PN1', isImportedNumber: false };
  expect(await rejectionOf(createClient().phoneNumbers.release(number))).toMatchObject({
    type: 'operation_failed_error',
    outcomeUnknown: true,
    message:
      'POST /utils/telco/release-number responded with 200, but failed (isGood: false): no such number\n' +
      '  The request may have taken effect. Check before retrying (`error.outcomeUnknown`).',
  });
});

test('a call that fails before it is sent has no unknown outcome', async () => {
  respond(response(200, refusal));
  const onRequest = () => Promise.reject(new Error('no tracer'));
  for (const platform of [
    createClient({ hooks: { onRequest } }),
    createClient({ token: () => new Promise(() => undefined), timeout: 20 }),
  ]) {
    expect(await rejectionOf(platform.workspaces.delete('w1'))).toMatchObject({ outcomeUnknown: false });
  }
});

test('the reason of a connection that was never made may be the innermost of five causes', async () => {
  const refused: Error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const wrapped = Array.from({ length: 4 }).reduce<Error>(
    (cause) => new Error('wrapped', { cause }),
    refused,
  );
  const circular = new Error('circular');
  circular.cause = circular;
  onTestFinished(() => void vi.unstubAllGlobals());
  for (const [error, outcomeUnknown] of [
    [wrapped, false],
    [circular, true],
  ] as const) {
    // That of the runtime: a user-supplied one may report anything.
    vi.stubGlobal('fetch', () => Promise.reject(error));
    expect(await rejectionOf(createClient().workspaces.delete('w1'))).toMatchObject({ outcomeUnknown });
  }
});

test('a call that is aborted after it was sent has an unknown outcome; one aborted before has not', async () => {
  const controller = new AbortController();
  respond(() => {
    controller.abort();
    return new Promise(() => undefined);
  });
  const remove = () => createClient().workspaces.delete('w1', { signal: controller.signal });
  expect(await rejectionOf(remove())).toMatchObject({ type: 'abort_error', outcomeUnknown: true });
  expect(await rejectionOf(remove())).toMatchObject({ type: 'abort_error', outcomeUnknown: false });
});

// Jest's jsdom has no `Request`.
test('a runtime without `Request` fails with an error of ours, and nothing was sent', async () => {
  const client = createClient({ maxRetries: 0 });
  vi.stubGlobal('Request', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  await expect(client.tools.get('tool_eu_1')).rejects.toMatchObject({
    name: 'ConnectionError',
    outcomeUnknown: false,
    cause: expect.any(TypeError),
  });
});
