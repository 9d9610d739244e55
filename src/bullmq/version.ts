import type { ClientFamily } from '../redis/connection.js';

type Client = ClientFamily['client'];

/** The fields that BullMQ looks for in the answer to `INFO`. Permissions came with Redis 6, and from 6.2 on it warns of nothing. */
const LEAST_VERSION = 'redis_version:6.2.0';

/**
 * Lets a worker begin without the permission for `INFO`. BullMQ asks each client and each duplicate of it for the version of
 * Redis, and would wait for ever.
 */
export function withoutInfo(client: Client): void {
  const info = client.info.bind(client) as (...args: readonly unknown[]) => Promise<string>;
  client.info = (...args: readonly unknown[]) => {
    // ioredis itself asks with a callback, and does without an answer.
    const hasCallback = typeof args.at(-1) === 'function';
    return hasCallback ? info(...args) : info(...args).catch(orLeastVersion);
  };
  const duplicate = client.duplicate.bind(client) as (...args: readonly unknown[]) => Client;
  client.duplicate = ((...args: readonly unknown[]) => {
    const copy = duplicate(...args);
    withoutInfo(copy);
    return copy;
  }) as typeof client.duplicate;
}

function orLeastVersion(error: unknown): string {
  if (error instanceof Error && error.message.startsWith('NOPERM ')) return LEAST_VERSION;
  throw error;
}
