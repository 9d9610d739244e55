import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port.js';

/** A Postgres server on a free port of this machine. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Asks it, in a connection of its own. */
  query(text: string): Promise<Record<string, unknown>[]>;
  /** Ends it by a signal, and starts it again after a pause in ms. */
  restart(signal: 'SIGKILL' | 'SIGINT', pause?: number): Promise<void>;
  /** Starts a standby of it. */
  startStandby(): Promise<PostgresServer>;
  stop(): Promise<void>;
}

export interface PostgresSettings {
  /** Where its folder is made. Default: the folder for temporary files. */
  readonly parent?: string;
  /** Lines of its configuration. Default `fsync=off`, which survives a kill, but no power failure. */
  readonly settings?: readonly string[];
}

/** Where Debian's packages put the programs of the server, which are not on the path. */
const DEBIAN = '/usr/lib/postgresql';

/** Returns what is missing to start Postgres, or false. */
export function lacksPostgres(): string | false {
  if (findPrograms() === undefined) return 'Postgres: apt-get install postgresql';
  return (
    isRoot() && findUser() === undefined && 'a user `postgres`, because Postgres refuses to be run by root'
  );
}

/** Starts Postgres in its own folder. Root starts it as the user `postgres`, which Debian creates. */
export async function startPostgres(given: PostgresSettings = {}): Promise<PostgresServer> {
  const initdb = ['-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  return start(given, (data) => ['initdb', '-D', data, ...initdb]);
}

/** Lets the clock of a server be set, for whoever connects with `skewed`: a `now()` of our own comes first there. */
export async function fakeClock({ url, query }: PostgresServer) {
  await query('CREATE SCHEMA fake; CREATE TABLE fake.clock AS SELECT 0::float8 AS ms');
  for (const name of ['now', 'clock_timestamp']) {
    await query(`CREATE FUNCTION fake.${name}() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
      $$ BEGIN RETURN pg_catalog.${name}() + (SELECT ms FROM fake.clock) * interval '1 ms'; END $$`);
  }
  const options = encodeURIComponent('-c search_path=fake,pg_catalog');
  const set = (ms: number) => query(`UPDATE fake.clock SET ms = ${ms}`);
  return { skewed: `${url}?options=${options}`, set };
}

async function start(
  { parent = tmpdir(), settings = ['fsync=off'] }: PostgresSettings,
  make: (data: string) => readonly string[],
): Promise<PostgresServer> {
  const missing = lacksPostgres();
  const programs = findPrograms();
  if (missing || programs === undefined) throw new Error(`These tests need ${missing}`);
  const user = isRoot() ? findUser() : undefined;
  const directory = mkdtempSync(join(parent, 'postgres-'));
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  const as = { ...user, cwd: directory, stdio: 'ignore' } as const;
  const [program = '', ...args] = make(data);
  execFileSync(join(programs, program), args, as);
  const port = await freePort();
  const lines = ['listen_addresses=127.0.0.1', ...settings].flatMap((setting) => ['-c', setting]);
  const launch = () =>
    spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), '-k', directory, ...lines], as);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server = launch();
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  const untilReady = async () => {
    // After a kill, processes of the last server may hold its memory for a moment.
    for (let starts = 1; !(await responds(url)); await sleep(50)) {
      if (server.exitCode === null) continue;
      if (starts === 100) throw new Error(`postgres ended with ${server.exitCode} instead of starting`);
      starts += 1;
      server = launch();
    }
  };
  await untilReady();
  return {
    url,
    port,
    query: (text) => query(url, text),
    async restart(signal, pause = 0) {
      await end(signal);
      await sleep(pause);
      server = launch();
      await untilReady();
    },
    startStandby: () => {
      const source = `-R -c fast -h 127.0.0.1 -p ${port} -U postgres`.split(' ');
      return start({ parent, settings }, (target) => ['pg_basebackup', '-D', target, ...source]);
    },
    async stop() {
      process.off('exit', kill);
      // SIGQUIT ends Postgres at once, with its child processes.
      await end('SIGQUIT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Finds the folder of the newest version. */
function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one))
    : [];
  return versions
    .map((version) => join(DEBIAN, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function findUser(): { readonly uid: number; readonly gid: number } | undefined {
  const idOf = (flag: string) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
  const [user, group] = [idOf('-u'), idOf('-g')];
  return user.status === 0 ? { uid: Number(user.stdout), gid: Number(group.stdout) } : undefined;
}

async function responds(url: string): Promise<boolean> {
  return query(url, 'SELECT 1').then(
    () => true,
    () => false,
  );
}
