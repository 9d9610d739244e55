// A durable inbox on Postgres, with pg-boss as its queue. An event is stored in your own database, with your own backups, and a
// handler that writes to that database does so in one transaction with the end of its event: both happen, or neither.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StoredWebhook, WebhookError, type WebhookInbox } from 'agent-platform-sdk';
import type { Pool, PoolClient } from 'pg';
import PgBoss from 'pg-boss';

const QUEUE = 'webhooks';
const DEAD = 'webhooks-dead';
/** Seconds for the handlers of an event. Then pg-boss gives it to another worker. */
const HANDLER_TIMEOUT = 300;
/** Seconds for which a job is kept that is done: a duplicate of its event finds it, and adds nothing. */
const RETENTION = 86_400;
/** Events and dead letters that nobody has taken are deleted after so many days, by pg-boss: a hundred years. */
const KEPT_DAYS = 36_500;
/** Milliseconds between two looks at an empty queue, and after an error of Postgres. */
const POLL = 500;

/** The data that pg-boss keeps: text, because JSON in Postgres cannot hold every text (a NUL, half an emoji), and a chat can. */
interface Kept {
  readonly stored: string;
}

export interface PostgresInbox extends WebhookInbox {
  /** Starts a worker. Returns what stops it: runs that have not settled after `grace` milliseconds are aborted, and retried. */
  work(process: ProcessStored, options?: WorkOptions): (grace?: number) => Promise<void>;
  /** Reads the events that could not be handled, the oldest first. */
  deadLetters(): Promise<StoredWebhook[]>;
  /** Puts all dead letters back into the queue, and returns their number. */
  replay(): Promise<number>;
  close(): Promise<void>;
}

export type ProcessStored = (stored: StoredWebhook, options: { signal: AbortSignal }) => Promise<void>;

export interface WorkOptions {
  /** The number of events that are processed at once; each needs a connection of the pool. Default 5. */
  readonly concurrency?: number;
}

export interface PostgresInboxOptions {
  /** The number of runs before an event becomes a dead letter. Default 15: with this wait, about nine hours. */
  readonly attempts?: number;
  /** Seconds before the first retry; doubled each time, with jitter. Default 1. */
  readonly retryDelay?: number;
  /** Called with an error of a handler or of Postgres. */
  readonly onError?: (error: unknown) => void;
}

const transactions = new AsyncLocalStorage<PoolClient>();

/** The transaction of the event that is being handled. What a handler writes with it is written once, together with the end of the event. */
export function transaction(): PoolClient {
  const client = transactions.getStore();
  if (client === undefined) throw new Error('only a handler of the Postgres inbox has a transaction');
  return client;
}

/** Creates what it needs in the database when it is first run. */
export async function createPostgresInbox(
  pool: Pool,
  options: PostgresInboxOptions = {},
): Promise<PostgresInbox> {
  const { attempts = 15, retryDelay = 1, onError = console.error } = options;
  const kept = { archiveCompletedAfterSeconds: RETENTION, archiveFailedAfterSeconds: RETENTION };
  const boss = new PgBoss({ db: databaseOf(pool), ...kept });
  boss.on('error', onError);
  await boss.start();
  await boss.createQueue(DEAD, { name: DEAD, retentionDays: KEPT_DAYS });
  await boss.createQueue(QUEUE, {
    name: QUEUE,
    deadLetter: DEAD,
    retryLimit: attempts - 1,
    retryDelay,
    retryBackoff: retryDelay > 0,
    expireInSeconds: HANDLER_TIMEOUT,
    retentionDays: KEPT_DAYS,
  });
  await pool.query(
    'CREATE TABLE IF NOT EXISTS handled_webhooks (key text PRIMARY KEY, handled_at timestamptz NOT NULL DEFAULT now())',
  );

  const send = (stored: StoredWebhook, queue: string, client?: PoolClient) => {
    const data: Kept = { stored: JSON.stringify(stored) };
    const db = client === undefined ? {} : { db: databaseOf(client) };
    // In the queue itself, the id of the job is the key of the event, of which there can be one.
    return boss.send(queue, data, queue === QUEUE ? { id: idOf(stored.key), ...db } : db);
  };

  /** Runs the handlers and records the end, in one transaction. */
  const handle = async (id: string, stored: StoredWebhook, process: ProcessStored, signal: AbortSignal) => {
    await inTransaction(pool, async (client) => {
      // A run that was given up and came to its end all the same: this waits for it, and finds its line.
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
    // Before pg-boss gives the event to another worker.
    const signal = AbortSignal.any([stopping, AbortSignal.timeout((HANDLER_TIMEOUT - 5) * 1_000)]);
    try {
      await handle(job.id, stored, process, signal);
    } catch (error) {
      onError(error);
      // A retry of an event that does not match the specification is useless.
      if (error instanceof WebhookError && !error.retryable) await keepAsDead(job.id, stored);
      else await boss.fail(QUEUE, job.id, { reason: String(error) });
    }
    return true;
  };

  return {
    async store(webhook) {
      // pg-boss adds nothing if there is a job of this id.
      await send(webhook, QUEUE);
    },

    work(process, { concurrency = 5 } = {}) {
      const [closing, stopping] = [new AbortController(), new AbortController()];
      const work = async () => {
        while (!closing.signal.aborted) {
          const found = await takeOne(process, stopping.signal).catch(onError);
          if (found !== true) await sleep(POLL, undefined, { signal: closing.signal }).catch(() => undefined);
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
    // Closed, and so rolled back: a handler that was given up may still write with it.
    client.release(true);
    throw error;
  }
}

/** A connection as pg-boss takes one. */
function databaseOf(connection: Pool | PoolClient): PgBoss.Db {
  return { executeSql: (text, values) => connection.query(text, values) };
}

/** Half of the key, as a UUID. */
function idOf(key: string): string {
  return key.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
