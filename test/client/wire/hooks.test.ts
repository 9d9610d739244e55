import { expect, test } from 'vitest';
import { success } from '../../support/client.js';
import { answerWith, connectTo } from '../../support/server.js';

const found = answerWith(200, success({ id: 't1' }));

test('a GET has no content type, whatever onRequest sets', async () => {
  const { platform, server } = await connectTo(found, {
    hooks: { onRequest: ({ headers }) => headers.set('content-type', 'text/plain') },
  });
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
  expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
});
