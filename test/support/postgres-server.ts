import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
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
  stop(): Promise<void>;
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
export async function startPostgres(): Promise<PostgresServer> {
  const missing = lacksPostgres();
  const programs = findPrograms();
  if (missing || programs === undefined) throw new Error(`These tests need ${missing}`);
  const user = isRoot() ? findUser() : undefined;
  const directory = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  const as = { ...user, cwd: directory };
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-sync'],
    {
      ...as,
      stdio: 'ignore',
    },
  );
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'fsync=off'].flatMap((setting) => ['-c', setting]);
  const argv = ['-D', data, '-p', String(port), '-k', directory, ...settings];
  const server = spawn(join(programs, 'postgres'), argv, { ...as, stdio: 'ignore' });
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilReady(url, server);
  return {
    url,
    async stop() {
      process.off('exit', kill);
      const ended = once(server, 'exit');
      // SIGQUIT ends Postgres at once, with its child processes.
      server.kill('SIGQUIT');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
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

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null)
      throw new Error(`postgres ended with ${server.exitCode} instead of starting`);
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await sleep(50);
    }
  }
}
