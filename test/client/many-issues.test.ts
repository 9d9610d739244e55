import type { ApiError, OperationFailedError, ResponseValidationError } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { rejectionOf } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

/** The error for so many issues, and how often a secret was put into Base64 for it: the costly part of its forms. */
async function errorWith(count: number): Promise<{ error: ApiError; encodings: number }> {
  const issues = Array.from({ length: count }, (_, at) => ({ message: `issue ${at}`, path: [at] }));
  const { platform } = connectTo(answerWith(422, { message: 'm', code: 'c', issues }), {
    headers: { 'x-api-key': `an-api-key-for-${count}-issues` },
  });
  const encode = vi.spyOn(globalThis, 'btoa');
  try {
    const error = (await rejectionOf(platform.tools.get('t1'))) as ApiError;
    return { error, encodings: encode.mock.calls.length };
  } finally {
    encode.mockRestore();
  }
}

test('100 issues of an error are kept and the rest is counted; its secrets are not sought anew for each', async () => {
  const few = await errorWith(1);
  const many = await errorWith(20_000);
  expect(many.encodings).toBe(few.encodings);
  expect(few.encodings).toBeGreaterThan(0);
  expect(many.error.issues).toHaveLength(100);
  expect(many.error.issues.at(-1)).toEqual({ message: 'issue 99', path: [99] });
  expect(many.error.message).toMatch(/\n {2}- issue 19\n {2}- and 19980 more issue\(s\)$/);
  expect(many.error.message.length).toBeLessThan(2_000);
});

test('20 issues of an error are named in its message, and the rest is counted', async () => {
  expect((await errorWith(20)).error.message).toMatch(/\n {2}- issue 19$/);
  expect((await errorWith(21)).error.message).toMatch(/\n {2}- issue 19\n {2}- and 1 more issue\(s\)$/);
});

test.each(['strict', 'tolerant', 'report'] as const)(
  'an error holds an answer parsed up to 64 KiB, and the start of any as text: %s',
  async (validation) => {
    const around = JSON.stringify({ success: false, message: 'no', data: '' }).length;
    const errorFor = async (length: number) => {
      const body = { success: false, message: 'no', data: 'x'.repeat(length - around) };
      const { platform } = connectTo(answerWith(200, body), { validation });
      return (await rejectionOf(platform.tools.get('t1'))) as OperationFailedError;
    };
    expect(await errorFor(64 * 1024)).toMatchObject({ body: { message: 'no' } });
    const { body, rawBody } = await errorFor(64 * 1024 + 1);
    expect(body).toBeUndefined();
    expect(rawBody).toHaveLength(16 * 1024);
  },
);

test('the name of an unknown field is cut where an issue repeats it', async () => {
  const answer = { success: true, message: 'm', clients: [], teams: [], ['k'.repeat(100_000)]: 1 };
  const { platform } = connectTo(answerWith(200, answer), { validation: 'strict' });
  const error = (await rejectionOf(platform.orgs.listMembersAndTeams('o1'))) as ResponseValidationError;
  expect(error.issues).toMatchObject([{ path: ['k'.repeat(1_000)] }]);
});
