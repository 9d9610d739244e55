import { expect, test } from 'vitest';
import { calls, startRawServer, wire } from '../../support/raw-server.js';
import { connect, rejectionOf } from '../../support/server.js';

const statuses = ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent'];
const targets = ['the same host', 'another host', 'nothing'];

test.each(statuses.flatMap((status) => targets.map((target) => [status, target] as const)))(
  '%s to %s is an error, and is not followed',
  async (status, target) => {
    const other = await startRawServer((socket) => void socket.end(wire('200 OK', [], '{}')));
    const locations = {
      'the same host': ['location: /v3/elsewhere'],
      'another host': [`location: ${other.url}/v3/elsewhere`],
    };
    const location = locations[target as keyof typeof locations] ?? [];
    const server = await startRawServer(
      (socket) => void socket.end(wire(status, ['content-length: 0', 'connection: close', ...location])),
    );
    const platform = connect(server.url, { maxRetries: 2 });
    for (const { make } of calls) {
      const error = await rejectionOf(make(platform));
      expect(error).toMatchObject({ type: 'api_error', status: Number(status.slice(0, 3)) });
    }
    expect(server.requests).toHaveLength(calls.length);
    expect(other.requests).toHaveLength(0);
  },
);
