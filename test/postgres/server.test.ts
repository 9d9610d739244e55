import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { InboxFullError } from 'agent-platform-sdk/postgres';
import { Client, Pool, type PoolConfig } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { finish } from '../cli/terminal.js';
import { eventually, hang, processing, settled, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, engine, pool, schema, server, sql, url } from './inbox-fixture.js';

test('twenty inboxes make the tables at once', async () => {
  await Promise.all(Array.from({ length: 20 }, () => createInbox().store(stored())));
  expect((await createInbox().health()).waiting).toBe(20);
});

/** What the command says of an inbox. The settings of the service are missing, so its code is 1 at best. */
const doctor = async (...args: string[]) => {
  const { code, lines, errors } = await finish(['doctor', '--inbox', ...args]);
  return { code, text: [...lines, ...errors].join('\n') };
};

test('a role that may not make tables is told so, and uses those that an owner makes with what the doctor prints', async () => {
  await sql('DO $do$ BEGIN CREATE ROLE "an app" LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $do$');
  const app = url.replace('postgres@', 'an%20app@');
  const inbox = createInbox({ connectionString: app, application: 'crm' });
  // It makes none itself.
  expect(await doctor(url, '--schema', schema)).toEqual({
    code: 1,
    text: expect.stringMatching(/fail +inbox +The tables are not there yet/),
  });
  await expect(inbox.store(stored())).rejects.toThrow(/may not make .*--tables/);
  expect((await inbox.health()).warnings.unreachable).toContain('--tables');
  // An owner has made them, but given no rights.
  await createInbox().store(stored());
  await expect(inbox.store(stored())).rejects.toThrow(/may not make or use .*--tables.*42501/);
  const printed = await doctor(app, '--schema', schema, '--tables');
  expect(printed.code).toBe(0);
  await sql(printed.text);
  await inbox.store(stored());
  const { text } = await doctor(app, '--schema', schema);
  expect(text).toMatch(/ok +inbox +accepts events: 2 waiting, 0 active/);
  expect(text).toContain('fsync is off');
  const written: string[] = [];
  inbox.work(processing(({ key }) => inbox.transaction(key, async () => void written.push(key))));
  await settled(inbox);
  expect(await inbox.health()).toMatchObject({ ready: true, deadLetters: 0, depth: 0 });
  expect(written).toHaveLength(2);
  await sql('REVOKE INSERT ON $.events FROM "an app"');
  const storing = inbox.store(stored());
  expect(await inbox.health()).toMatchObject({
    ready: false,
    warnings: { refused: expect.stringMatching(/permission denied .*42501/) },
  });
  await sql('GRANT INSERT ON $.events TO "an app"');
  await storing;
});

test('the tables of another release, of another application or of something else are refused', async () => {
  await createInbox().store(stored());
  // Somebody replicates them: each needs a key.
  await sql(`CREATE PUBLICATION ${schema} FOR ALL TABLES`);
  onTestFinished(async () => void (await sql(`DROP PUBLICATION ${schema}`)));
  await createInbox({ application: 'crm' }).store(stored());
  await createInbox({ application: 'crm' }).store(stored());
  await createInbox().store(stored());
  const refused = /is billing, but .* belongs to crm/;
  const other = createInbox({ application: 'billing' });
  await expect(other.store(stored())).rejects.toThrow(refused);
  expect((await other.health()).warnings.unreachable).toMatch(refused);
  await sql('UPDATE $.meta SET version = 99');
  await expect(createInbox().store(stored())).rejects.toThrow(/another release \(99\)\. Update/);
  await sql('ALTER TABLE $.meta RENAME version TO other');
  await expect(createInbox().store(stored())).rejects.toThrow(/a table meta of something else/);
  await sql('DROP TABLE $.meta');
  await expect(createInbox().store(stored())).rejects.toThrow(/tables of something else/);
});

test('a database that cannot hold every text is refused', async () => {
  const name = `latin_${schema}`;
  await pool.query(
    `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
  );
  const inbox = createInbox({ connectionString: url.replace(/postgres$/, name) });
  await expect(inbox.store(stored())).rejects.toThrow(/database in LATIN1/);
});

test('a commit that can be lost is warned of', async () => {
  // The server of these tests runs with `fsync=off`.
  expect((await createInbox().health()).warnings.persistence).toContain('fsync is off');
});

test('a standby that nobody waits for is warned of', async () => {
  const standby = await server.startStandby();
  onTestFinished(() => standby.stop());
  const inbox = createInbox();
  await eventually(async () => {
    expect((await inbox.health()).warnings.standby).toContain('synchronous_standby_names');
  });
  const late = createInbox({ connectionString: standby.url });
  await eventually(async () => expect(await late.health()).toMatchObject({ ready: false, waiting: 0 }));
  expect((await late.health()).warnings.refused).toContain('read-only');
  await sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await sql('SELECT pg_reload_conf()');
  onTestFinished(async () => {
    await sql('ALTER SYSTEM RESET synchronous_standby_names');
    await sql('SELECT pg_reload_conf()');
  });
  await eventually(async () => expect((await inbox.health()).warnings.standby).toBeUndefined());
});

test('a server without room is an InboxFullError, and not ready', async () => {
  await createInbox().health();
  await sql(`CREATE FUNCTION $.no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`);
  await sql('CREATE TRIGGER no_room BEFORE INSERT ON $.events FOR EACH ROW EXECUTE FUNCTION $.no_room()');
  const inbox = createInbox();
  const storing = inbox.store(stored());
  await eventually(async () => {
    const full = expect.stringMatching(/disk .* is full/);
    expect(await inbox.health()).toMatchObject({ ready: false, warnings: { full } });
  });
  await expect(createInbox({ storeTimeout: 5_000 }).store(stored())).rejects.toThrow(InboxFullError);
  await sql('DROP TRIGGER no_room ON $.events');
  await storing;
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1 });
});

test('nothing of an event is in an error or a log line, even if Postgres quotes it', async () => {
  await createInbox().health();
  await sql('ALTER TABLE $.events ADD CHECK (data::jsonb IS NULL)');
  const logger = new RecordingLogger();
  const inbox = createInbox({ logger });
  const [refused] = await Promise.allSettled([inbox.store(stored({ payload: { text: 'canary\0' } }))]);
  expect(JSON.stringify([String((refused as PromiseRejectedResult).reason), logger.lines])).not.toContain(
    'canary',
  );
  expect(refused).toMatchObject({ reason: { message: expect.stringContaining('refused a value (22P05)') } });
});

test('a pool of the application stays open, and keeps its connections for itself', async () => {
  const own = new Pool({ connectionString: url, max: 2, application_name: 'own' });
  own.on('error', () => undefined);
  onTestFinished(() => own.end());
  const inbox = createInbox({ pool: own });
  // All are held, as by transactions of handlers.
  const held = await Promise.all([own.connect(), own.connect()]);
  const handled: string[] = [];
  inbox.work(processing(async ({ key }) => void handled.push(key)));
  await inbox.store(stored());
  await settled(inbox);
  expect(handled).toHaveLength(1);
  for (const client of held) client.release();
  await inbox.close();
  expect((await own.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('a pool of any class works, with parsers of its own, and without a listener for errors', async () => {
  class Named extends Pool {
    constructor(_name: string, config: PoolConfig) {
      super(config);
    }
  }
  const types = { getTypeParser: () => (value: unknown) => value };
  // As that of `pg.native`.
  class Native extends Client {
    override query = ((text: string, values?: unknown[], ...more: unknown[]) =>
      Reflect.apply(Client.prototype.query, this, [
        values && text.includes(';') ? 'not several statements' : text,
        values,
        ...more,
      ])) as never;
  }
  const settings = { connectionString: url, application_name: 'app', types: types as never };
  const own = new Named('app', { ...settings, Client: Native });
  onTestFinished(() => own.end());
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
  onTestFinished(() => keepAlive.mockRestore());
  const inbox = createInbox({ pool: own });
  let runs = 0;
  inbox.work(
    processing(async ({ key }) => {
      runs += 1;
      if (runs === 1) throw new Error('no');
      await inbox.transaction(key, async () => undefined);
    }),
  );
  await inbox.store(stored());
  await settled(inbox);
  expect([runs, (await inbox.health()).ready]).toEqual([2, true]);
  expect(keepAlive).toHaveBeenCalledWith(true, 10_000);
  await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'app'");
  await eventually(() => expect(own.totalCount).toBe(0));
});

test('an address may leave out its host, for a socket, and a schema may be a word of SQL', async () => {
  const [row] = await sql('SHOW unix_socket_directories');
  const socket = `postgres://postgres@/postgres?host=${row?.unix_socket_directories}&port=${server.port}`;
  await sql('DROP SCHEMA IF EXISTS "order" CASCADE');
  const inbox = createInbox({ connectionString: socket, schema: 'order' });
  await inbox.store(stored());
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1 });
  expect((await doctor(socket, '--schema', 'order')).text).toContain('1 waiting');
  expect((await doctor(socket, '--schema', 'order', '--tables')).text).toContain('TO "postgres"');
});

test('queries that have timed out end in the server too, and hold no connections', async () => {
  const inbox = createInbox({ storeTimeout: 25_000 });
  await inbox.health();
  const unlock = await engine.block();
  const storing = inbox.store(stored());
  const active = (age: number) =>
    sql(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'agent-platform-inbox' AND state = 'active'
      AND query_start < now() - interval '${age} s'`);
  await eventually(async () => expect(await active(10)).toHaveLength(1));
  await eventually(async () => expect(await active(10)).toEqual([]));
  await unlock();
  await storing;
}, 30_000);

test('handlers that hold every connection of transactions lose no lock', async () => {
  const inbox = createInbox();
  const release = deferred();
  let starts = 0;
  inbox.work(
    processing(async ({ key }) => {
      starts += 1;
      await inbox.transaction(key, () => release.promise);
    }),
    { lockDuration: 500, concurrency: 15 },
  );
  createInbox().work({ lead_captured: hang }, { lockDuration: 500, concurrency: 1 });
  await Promise.all(Array.from({ length: 15 }, () => inbox.store(stored())));
  await eventually(async () => expect((await inbox.health()).active).toBe(15));
  const before = starts;
  await sleep(4_000);
  await inbox.store(stored());
  expect(starts).toBe(before);
  release.resolve();
  await eventually(async () => expect((await inbox.health()).depth).toBeLessThan(3));
});

test('connections that break end nothing', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  inbox.work({ agent_deleted: () => undefined });
  for (let times = 0; times < 3; times += 1) {
    await sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agent-platform-inbox'",
    );
    await inbox.store(stored());
  }
  expect((await inbox.health()).waiting).toBe(4);
});

test('an inbox whose connection is wrong says so, and is not ready', async () => {
  const inbox = createInbox({ connectionString: 'postgres://nobody:canary@127.0.0.1:1/db' });
  const { ready, warnings } = await inbox.health();
  expect([ready, warnings.unreachable]).toEqual([false, expect.stringContaining('ECONNREFUSED')]);
  expect(JSON.stringify(warnings)).not.toContain('canary');
});

test('--tables and --schema need the URL of a Postgres, and a password is never printed', async () => {
  for (const args of [
    ['/data/webhooks.db', '--tables'],
    ['/data/webhooks.db', '--schema', 'crm'],
  ]) {
    const { code, text } = await doctor(...args);
    expect([code, text]).toEqual([2, expect.stringContaining('requires --inbox postgres://')]);
  }
  const { text } = await doctor('postgres://app:canary@127.0.0.1:1/app');
  expect(text).toMatch(/fail +inbox +.*ECONNREFUSED/);
  expect(text).not.toContain('canary');
});
