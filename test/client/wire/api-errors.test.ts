import { ServerError } from 'agent-platform-sdk';
import { describe, expect, test, vi } from 'vitest';
import { rejectionOf } from '../../support/client.js';
import { answerWith, connectTo } from '../../support/server.js';

describe('any body is survived', () => {
  test('a body that is cut off keeps what came', async () => {
    const onDrift = vi.fn();
    const { platform } = await connectTo(
      (_, response) => {
        response.writeHead(500, { 'content-length': 1000 });
        response.write('{"message":"half a', () => response.destroy());
      },
      { hooks: { onDrift } },
    );
    const error = await rejectionOf(platform.tools.get('t1'));
    expect(error).toBeInstanceOf(ServerError);
    expect(onDrift).not.toHaveBeenCalled();
    expect((error as ServerError).rawBody).toBe('{"message":"half a');
  });

  test('a body that stalls keeps what came, and ends with the timeout', async () => {
    const { platform } = await connectTo(
      (_, response) => {
        response.writeHead(403);
        response.write('half');
      },
      { timeout: 1_000 },
    );
    expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ status: 403, rawBody: 'half' });
  });
});

test('a redirect is an error and is not followed', async () => {
  let followed = 0;
  const { platform: _, server: other } = await connectTo((__, response) => {
    followed += 1;
    response.end('{}');
  });
  const { platform } = await connectTo(answerWith(307, '', { location: `${other.url}/elsewhere` }));
  const error = await rejectionOf(platform.variables.create('a1', { key: 'k' }));
  expect(error).toMatchObject({ status: 307, type: 'api_error', outcomeUnknown: false });
  expect((error as Error).message).toContain('Redirects are not followed');
  expect(followed).toBe(0);
});
