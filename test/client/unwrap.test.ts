import { endpoint } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { rejectionOf } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

const thrown = new TypeError('there is no id');
const remove = endpoint({
  method: 'DELETE',
  path: '/x',
  response: {
    schema: z.unknown(),
    unwrap: (): string => {
      throw thrown;
    },
    allowEmpty: true,
  },
});

test('an `unwrap` of the user that takes a part of the answer gets an empty record for an empty answer', async () => {
  const unwrap = (body: unknown): unknown => [(body as { id?: string }).id];
  const { platform } = connectTo(answerWith(204));
  const response = { schema: z.unknown(), unwrap, allowEmpty: true };
  expect(await platform.send(endpoint({ method: 'DELETE', path: '/x', response }))).toEqual([undefined]);
});

test.each([
  ['an empty answer', ''],
  ['an answer', '{}'],
])('an `unwrap` of the user that throws for %s ends the call with a typed error', async (_, body) => {
  const { platform } = connectTo(answerWith(200, body));
  const error = await rejectionOf(platform.send(remove));
  expect(error).toMatchObject({
    type: 'response_validation_error',
    outcomeUnknown: true,
    issues: [{ code: 'unreadable' }],
  });
  expect(error).toHaveProperty('cause', thrown);
});
