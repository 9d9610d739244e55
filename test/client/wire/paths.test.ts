import { AgentPlatformError, endpoint, withoutData } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { startRawServer, wire } from '../../support/raw-server.js';
import { connect, rejectionOf, success } from '../../support/server.js';

const ok = wire(
  '200 OK',
  ['content-type: application/json', 'connection: close'],
  JSON.stringify(success({})),
);
const start = () => startRawServer((socket) => void socket.end(ok));

// fingerprintjs/node-sdk#282, semantic-kernel#14086: URL parsers drop dots and turn `\\` into `/`.
test.each([
  '/agents/..\\workspaces\\workspace_2',
  '/agents/../workspaces/workspace_2',
  '/agents/%2e%2e/workspaces/workspace_2',
  '/agents/.%2E/workspaces/workspace_2',
  '/agents/./a',
  '/agents/\t../a',
  '/agents/a#/b',
  '/agents/a ',
])('nothing is sent to the path %j', async (path) => {
  const server = await start();
  const platform = connect(server.url);
  const error = await rejectionOf(platform.request('DELETE', path));
  expect(error).toBeInstanceOf(AgentPlatformError);
  expect(error).toMatchObject({ type: 'request_validation_error', issues: [{ path: ['path'] }] });
  expect(() => endpoint({ method: 'DELETE', path, response: withoutData() })).toThrow('path');
  expect(server.requests).toEqual([]);
});

test.each([
  ['/räume/a b', '/v3/r%C3%A4ume/a%20b'],
  ['/agents/a%2Fb', '/v3/agents/a%2Fb'],
  ['/agents/a?next=/../x y', '/v3/agents/a?next=/../x%20y'],
])('the path %j is sent as %j', async (path, sent) => {
  const server = await start();
  await connect(server.url).request('DELETE', path);
  expect(server.requests[0]).toContain(`DELETE ${sent} HTTP/1.1`);
});

test('the fixed part of an endpoint is encoded, its parameters as one segment each', async () => {
  const server = await start();
  const remove = endpoint({ method: 'DELETE', path: '/räume/{id}/x y', response: withoutData() });
  await connect(server.url).send(remove, { path: { id: '../a\\b?' } });
  expect(server.requests[0]).toContain('DELETE /v3/r%C3%A4ume/..%2Fa%5Cb%3F/x%20y HTTP/1.1');
});
