import type { ApiError } from 'agent-platform-sdk';
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

test('all issues of an error are kept, and its secrets are not sought anew for each', async () => {
  const few = await errorWith(1);
  const many = await errorWith(20_000);
  expect(many.encodings).toBe(few.encodings);
  expect(few.encodings).toBeGreaterThan(0);
  expect(many.error.issues).toHaveLength(20_000);
  expect(many.error.issues.at(-1)).toEqual({ message: 'issue 19999', path: [19_999] });
  expect(many.error.message.length).toBeLessThan(2_000);
});
