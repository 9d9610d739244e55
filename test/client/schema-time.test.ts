import {
  AbortError,
  type ConnectionError,
  endpoint,
  type StandardSchemaV1,
  TimeoutError,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { rejectionOf } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

/** As one that asks a database which never answers. */
const hanging: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'test', validate: () => new Promise(() => undefined) },
};
const passing: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
};

const asking = endpoint({ method: 'POST', path: '/asking', body: hanging, response: passing });
const searching = endpoint({ method: 'GET', path: '/asking', query: hanging, response: passing });
const found = endpoint({ method: 'GET', path: '/answered', response: hanging });
const answered = endpoint({ method: 'POST', path: '/answered', body: passing, response: hanging });

test.each([{ timeout: 50 }, { totalTimeout: 50 }])('%j ends a schema of what is sent', async (limit) => {
  const { platform, requests } = connectTo(answerWith(200, {}), { region: 'na' });
  for (const call of [
    platform.send(asking, { body: {} }, limit),
    platform.send(searching, { query: {} }, limit),
  ]) {
    const error = await rejectionOf(call);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ path: '/asking', region: 'na', outcomeUnknown: false });
  }
  expect(requests).toEqual([]);
});

test.each([{ timeout: 500 }, { totalTimeout: 500 }])('%j ends a schema of the answer', async (limit) => {
  const { platform } = connectTo(answerWith(200, {}));
  const error = await rejectionOf(platform.send(answered, { body: {} }, limit));
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toMatchObject({ path: '/answered', outcomeUnknown: true });
  expect(await rejectionOf(platform.send(found, {}, limit))).toMatchObject({ outcomeUnknown: false });
});

test('a signal ends a schema too', async () => {
  const { platform } = connectTo(answerWith(200, {}));
  const controller = new AbortController();
  const calls = [asking, answered].map((one) =>
    rejectionOf(platform.send(one, { body: {} }, { signal: controller.signal })),
  );
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 200);
  for (const error of (await Promise.all(calls)) as ConnectionError[]) {
    expect(error).toBeInstanceOf(AbortError);
    expect(error.cause).toBe(reason);
    expect(error.message).toContain('(in a schema of the endpoint)');
  }
});
