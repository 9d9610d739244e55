import { expect, test } from 'vitest';
import { connect } from '../../support/client.js';
import { operations } from '../support/operations.js';
import { isUnknown, outcomeOf } from '../support/outcome.js';
import { startRawServer } from '../support/raw-server.js';
import { watchProcess } from '../support/watch.js';
import { wire } from '../support/wire.js';

const statuses = ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent'];
/** True of a status by which a server leaves the request to another. */
const isPassedOn = (status: string) => status.startsWith('307') || status.startsWith('308');

test.each(
  statuses.flatMap((status) => ['same host', 'other host', 'itself', 'nothing'].map((to) => [status, to])),
)('%s to %s is an error, and is not followed', async (status = '', to = '') => {
  watchProcess();
  const other = await startRawServer((socket) => void socket.end(wire('200 OK', [], '{}')));
  const server = await startRawServer((socket, { target }) => {
    const locations: Record<string, string> = {
      'same host': 'location: /v3/elsewhere',
      'other host': `location: ${other.url}/v3/elsewhere`,
      itself: `location: ${target}`,
    };
    const location = locations[to];
    const headers = ['content-length: 0', 'connection: close', ...(location === undefined ? [] : [location])];
    socket.end(wire(status, headers));
  });
  const platform = connect(server.url, { maxRetries: 2 });
  for (const [made, operation] of operations.entries()) {
    const outcome = await outcomeOf(operation.call(platform));
    expect(outcome, operation.name).toMatchObject({
      type: 'api_error',
      error: { status: Number(status.slice(0, 3)) },
    });
    expect(isUnknown(outcome), operation.name).toBe(operation.method !== 'GET' && !isPassedOn(status));
    expect(server.requests).toHaveLength(made + 1);
  }
  expect(other.requests).toHaveLength(0);
});
