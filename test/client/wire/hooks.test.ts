import { expect, test } from 'vitest';
import { success } from '../../support/client.js';
import { answerWith, connectTo } from '../../support/server.js';

const found = answerWith(200, success({ id: 't1' }));

test('a GET has no content type, whatever onRequest sets, and no hook changes how the request is framed', async () => {
  const { platform, server } = await connectTo(found, {
    hooks: {
      onRequest: ({ headers }) => {
        for (const name of ['content-type', 'content-length', 'transfer-encoding', 'host', 'connection']) {
          headers.set(name, '5');
        }
      },
    },
  });
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
  expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
  expect(server.requests[0]?.headers.host).toBe(new URL(server.url).host);
});
