import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Pg from 'pg';
import type { Report } from './doctor-finding.js';

const check = 'inbox';

/** Asks the inbox on BullMQ for its health. */
export async function checkRedisInbox(
  url: string | undefined,
  queue: string | undefined,
  { looking, tell }: Report,
): Promise<void> {
  if (url === undefined) return tell({ check, result: 'fail', detail: 'REDIS_URL is not set' });
  looking('the inbox in Redis');
  try {
    const { createBullMQInbox } = await import('../bullmq/index.js');
    const inbox = createBullMQInbox({
      connection: url,
      logLevel: 'off',
      ...(queue !== undefined && { queueName: queue }),
    });
    const { ready, warnings, ...counts } = await inbox.health();
    await inbox.close();
    tell({ check, result: ready ? 'ok' : 'fail', detail: stateOf(ready, counts) });
    for (const detail of Object.values(warnings)) tell({ check, result: 'warn', detail });
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    const detail = isMissing ? 'needs two packages: npm install bullmq ioredis' : (error as Error).message;
    tell({ check, result: 'fail', detail });
  }
}

interface Counts {
  readonly waiting: number;
  readonly active: number;
  readonly retrying: number;
  readonly deadLetters: number;
  readonly oldestMs: number;
}

function stateOf(isReady: boolean, { waiting, active, retrying, deadLetters, oldestMs }: Counts): string {
  return `${isReady ? 'takes events' : 'takes no events'}: ${waiting} waiting, ${active} active, ${retrying} retrying, ${deadLetters} dead letters, oldest ${Math.round(oldestMs / 1000)} s`;
}

/** Milliseconds for which Postgres may take to connect, and to answer. */
const TIME_LIMIT = 10_000;

/** The queue of `examples/postgres-inbox`; its dead letters are in one more, named after it. */
const QUEUE = 'webhooks';

/** The counts of pg-boss, by the names that it has given to columns and states since its version 10. */
const COUNTS = `
  SELECT count(*) FILTER (WHERE name = $1 AND state = 'created')::int AS "waiting",
         count(*) FILTER (WHERE name = $1 AND state = 'active')::int AS "active",
         count(*) FILTER (WHERE name = $1 AND state = 'retry')::int AS "retrying",
         count(*) FILTER (WHERE name = $1 || '-dead' AND state IN ('created', 'retry', 'active'))::int AS "deadLetters",
         coalesce(extract(epoch FROM now() - min(created_on) FILTER (WHERE name = $1 AND state IN ('created', 'retry'))) * 1000, 0)::float AS "oldestMs",
         EXISTS (SELECT FROM pgboss.queue WHERE name = $1) AS "hasQueue"
    FROM pgboss.job WHERE name IN ($1, $1 || '-dead')`;

/** Settings of Postgres that decide whether a stored event is stored for good. */
const SETTINGS = `
  SELECT current_setting('transaction_read_only') AS "readOnly", current_setting('synchronous_commit') AS "commit",
         current_setting('fsync') AS "fsync"`;

/** Asks the inbox that pg-boss keeps for its health, by the user's own `pg`. Writes nothing. */
export async function checkPostgresInbox(
  url: string | undefined,
  queue = QUEUE,
  { looking, tell }: Report,
): Promise<void> {
  if (url === undefined) return tell({ check, result: 'fail', detail: 'DATABASE_URL is not set' });
  const pg = loadPg();
  if (pg === undefined) return tell({ check, result: 'fail', detail: 'needs a package: npm install pg' });
  looking('the inbox in Postgres');
  try {
    const { counts, settings } = await askPostgres(pg, url, queue);
    const isReady = settings.readOnly === 'off';
    tell({ check, result: isReady ? 'ok' : 'fail', detail: stateOf(isReady, counts) });
    if (!counts.hasQueue) {
      tell({ check, result: 'warn', detail: `there is no queue "${queue}" in this database: see --queue` });
    }
    for (const detail of weaknesses(settings)) tell({ check, result: 'warn', detail });
  } catch (error) {
    tell({ check, result: 'fail', detail: postgresProblem(error) });
  }
}

/** `pg` of the project in which the command is run: it is no dependency of this package. */
function loadPg(): typeof Pg | undefined {
  try {
    // The cast names what the package exports.
    return createRequire(join(process.cwd(), 'package.json'))('pg') as typeof Pg;
  } catch {
    return undefined;
  }
}

interface PostgresCounts extends Counts {
  readonly hasQueue: boolean;
}

interface PostgresSettings {
  readonly readOnly: string;
  readonly commit: string;
  readonly fsync: string;
}

async function askPostgres({ Client }: typeof Pg, url: string, queue: string) {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: TIME_LIMIT,
    query_timeout: TIME_LIMIT,
  });
  // Said again by the query that it ends.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows: settings } = await client.query<PostgresSettings>(SETTINGS);
    const { rows: counts } = await client.query<PostgresCounts>(COUNTS, [queue]);
    // Each of the two answers one row.
    return { counts: counts[0] as PostgresCounts, settings: settings[0] as PostgresSettings };
  } finally {
    await client.end();
  }
}

function weaknesses({ readOnly, commit, fsync }: PostgresSettings): string[] {
  return [
    ...(readOnly === 'off' ? [] : ['this Postgres takes no writes: it is a standby, or set to be read only']),
    ...(commit === 'off'
      ? ['synchronous_commit is off: an event that was answered 200 can be lost in a crash']
      : []),
    ...(fsync === 'off' ? ['fsync is off: a crash of the machine can take all of the database'] : []),
  ];
}

/** Describes an error of `pg`, which holds no password: it tells codes, names and addresses. */
function postgresProblem(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === '42P01') {
    return 'there are no tables of pg-boss in this database: it creates them when the inbox is first used';
  }
  if (code === '42501') return `${message}: the user of DATABASE_URL may not read the schema pgboss`;
  if (code.startsWith('28')) return `${message}: see the user and the password of DATABASE_URL`;
  return `Postgres does not answer: ${message || code}`;
}
