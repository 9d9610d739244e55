import { HookError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { rejectionOf, success } from '../../support/client.js';
import { answerWith, connectTo } from '../../support/server.js';

const found = answerWith(200, success({ id: 't1' }));

test('a GET has no content type, whatever onRequest sets', async () => {
  const { platform, server } = await connectTo(found, {
    hooks: { onRequest: ({ headers }) => headers.set('content-type', 'text/plain') },
  });
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
  expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
});

test.each(['content-length', 'transfer-encoding', 'host', 'connection', 'expect', 'upgrade'])(
  'a hook that sets %s, which frames the request, ends the call before anything is sent',
  async (name) => {
    const { platform, server } = await connectTo(found, {
      hooks: { onRequest: ({ headers }) => headers.set(name, '5') },
    });
    const error = await rejectionOf(platform.tools.get('t1'));
    expect(error).toBeInstanceOf(HookError);
    expect((error as HookError).message).toContain(name);
    expect(server.requests).toEqual([]);
  },
);
