// A durable inbox on Postgres, with pg-boss as its queue. Events are stored in your own database, with your
// own backups. What a handler writes to that database and the completion of its event are one transaction:
// both happen, or neither does.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StoredWebhook, WebhookError, type WebhookInbox } from 'agent-platform-sdk';
import type { Pool, PoolClient } from 'pg';
import PgBoss from 'pg-boss';

const QUEUE = 'webhooks';
const DEAD = 'webhooks-dead';
/** Time limit for the handlers of an event, in seconds. Then pg-boss gives the event to another worker. */
const HANDLER_TIMEOUT_S = 300;
/** How long a finished job is kept, in seconds: a duplicate of its event finds it, and adds nothing. */
const RETENTION_S = 86_400;
/** Days after which pg-boss deletes events and dead letters that nobody has taken: a hundred years. */
const DELETE_AFTER_DAYS = 36_500;
/** Delay after an empty queue or an error of Postgres, in milliseconds. */
const POLL_DELAY_MS = 500;

/**
 * The data that pg-boss keeps: text, because a chat may contain what JSON in Postgres cannot hold (a NUL,
 * half an emoji).
 */
interface Kept {
  readonly stored: string;
}

export interface PostgresInbox extends WebhookInbox {
  /** Starts a worker. Returns a function that stops it: after `grace` ms, runs are aborted, and retried. */
  work(process: ProcessStored, options?: WorkOptions): (grace?: number) => Promise<void>;
  /** Reads the events that could not be handled, the oldest first. */
  deadLetters(): Promise<StoredWebhook[]>;
  /** Puts all dead letters back into the queue, and returns their number. */
  replay(): Promise<number>;
  close(): Promise<void>;
}

export type ProcessStored = (stored: StoredWebhook, options: { signal: AbortSignal }) => Promise<void>;

export interface WorkOptions {
  /** How many events are processed at once; each needs a connection of the pool. Default 5. */
  readonly concurrency?: number;
}

export interface PostgresInboxOptions {
  /** Runs before an event becomes a dead letter. Default 15: with `retryDelay` 1, about nine hours. */
  readonly attempts?: number;
  /** Seconds before the first retry; doubled each time, with jitter. Default 1. */
  readonly retryDelay?: number;
  /** Called with each error of a handler or of Postgres. */
  readonly onError?: (error: unknown) => void;
}

const transactions = new AsyncLocalStorage<PoolClient>();

/** The transaction of the event that is being handled: its writes commit when the event is completed. */
export function transaction(): PoolClient {
  const client = transactions.getStore();
  if (client === undefined)
    throw new Error('transaction() can be called only inside a handler of the Postgres inbox');
  return client;
}

/** Creates an inbox; the first time, also its tables in the database. */
export async function createPostgresInbox(
  pool: Pool,
  options: PostgresInboxOptions = {},
): Promise<PostgresInbox> {
  const { attempts = 15, retryDelay = 1, onError = console.error } = options;
  const kept = { archiveCompletedAfterSeconds: RETENTION_S, archiveFailedAfterSeconds: RETENTION_S };
  const boss = new PgBoss({ db: databaseOf(pool), ...kept });
  boss.on('error', onError);
  await boss.start();
  await boss.createQueue(DEAD, { name: DEAD, retentionDays: DELETE_AFTER_DAYS });
  await boss.createQueue(QUEUE, {
    name: QUEUE,
    deadLetter: DEAD,
    retryLimit: attempts - 1,
    retryDelay,
    retryBackoff: retryDelay > 0,
    expireInSeconds: HANDLER_TIMEOUT_S,
    retentionDays: DELETE_AFTER_DAYS,
  });
  await pool.query(
    'CREATE TABLE IF NOT EXISTS handled_webhooks (key text PRIMARY KEY, handled_at timestamptz NOT NULL DEFAULT now())',
  );

  const send = (stored: StoredWebhook, queue: string, client?: PoolClient) => {
    const data: Kept = { stored: JSON.stringify(stored) };
    const db = client === undefined ? {} : { db: databaseOf(client) };
    // In the queue itself, the job's id is made from the event's key, so there is one job for each event.
    return boss.send(queue, data, queue === QUEUE ? { id: idOf(stored.key), ...db } : db);
  };

  /** Runs the handlers and completes the job, in one transaction. */
  const handle = async (id: string, stored: StoredWebhook, process: ProcessStored, signal: AbortSignal) => {
    await inTransaction(pool, async (client) => {
      // If an earlier run timed out but is still going to commit, this waits for it, and finds its row.
      const { rowCount } = await client.query(
        'INSERT INTO handled_webhooks (key) VALUES ($1) ON CONFLICT DO NOTHING',
        [stored.key],
      );
      if (rowCount === 1) {
        const running = transactions.run(client, () => process(stored, { signal }));
        await Promise.race([running, aborted(signal)]);
      }
      await boss.complete(QUEUE, id, {}, { db: databaseOf(client) });
    });
  };

  const keepAsDead = (id: string, stored: StoredWebhook) =>
    inTransaction(pool, async (client) => {
      await send(stored, DEAD, client);
      await boss.cancel(QUEUE, id, { db: databaseOf(client) });
    });

  const takeOne = async (process: ProcessStored, stopping: AbortSignal): Promise<boolean> => {
    const [job] = await boss.fetch<Kept>(QUEUE);
    if (job === undefined) return false;
    const stored = JSON.parse(job.data.stored) as StoredWebhook;
    // Five seconds before pg-boss gives the event to another worker.
    const signal = AbortSignal.any([stopping, AbortSignal.timeout((HANDLER_TIMEOUT_S - 5) * 1_000)]);
    try {
      await handle(job.id, stored, process, signal);
    } catch (error) {
      onError(error);
      // Retrying an event that does not match the specification is useless.
      if (error instanceof WebhookError && !error.retryable) await keepAsDead(job.id, stored);
      else await boss.fail(QUEUE, job.id, { reason: String(error) });
    }
    return true;
  };

  return {
    async store(webhook) {
      // pg-boss adds nothing if there is already a job with this id.
      await send(webhook, QUEUE);
    },

    work(process, { concurrency = 5 } = {}) {
      const [closing, stopping] = [new AbortController(), new AbortController()];
      const work = async () => {
        while (!closing.signal.aborted) {
          const found = await takeOne(process, stopping.signal).catch(onError);
          if (found !== true)
            await sleep(POLL_DELAY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
        }
      };
      const working = Promise.all(Array.from({ length: concurrency }, work));
      return async (grace = 25_000) => {
        closing.abort();
        const timer = setTimeout(() => stopping.abort(new Error('The worker was stopped.')), grace);
        await working;
        clearTimeout(timer);
      };
    },

    async deadLetters() {
      const { rows } = await pool.query<{ data: Kept }>(
        "SELECT data FROM pgboss.job WHERE name = $1 AND state < 'active' ORDER BY created_on",
        [DEAD],
      );
      return rows.map(({ data }) => JSON.parse(data.stored) as StoredWebhook);
    },

    async replay() {
      let replayed = 0;
      for (;;) {
        const [letter] = await boss.fetch<Kept>(DEAD);
        if (letter === undefined) return replayed;
        const stored = JSON.parse(letter.data.stored) as StoredWebhook;
        await inTransaction(pool, async (client) => {
          const db = { db: databaseOf(client) };
          await boss.deleteJob(QUEUE, idOf(stored.key), db);
          await send(stored, QUEUE, client);
          await boss.deleteJob(DEAD, letter.id, db);
        });
        replayed += 1;
      }
    },

    close: () => boss.stop({ graceful: false }),
  };
}

async function inTransaction(pool: Pool, act: (client: PoolClient) => Promise<unknown>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await act(client);
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    // Closes the connection, which rolls back: a handler that timed out may still try to write with it.
    client.release(true);
    throw error;
  }
}

/** Adapts a connection for pg-boss. */
function databaseOf(connection: Pool | PoolClient): PgBoss.Db {
  return { executeSql: (text, values) => connection.query(text, values) };
}

/** Formats half of the key as a UUID. */
function idOf(key: string): string {
  return key.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    // An aborted signal fires no more: the worker was stopped while it took the event.
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
