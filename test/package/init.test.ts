import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { endpoints } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { downloaded, nodeBinary } from '../runtimes/tool-cache.js';
import { launch } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';
import { lacksPostgres, type PostgresServer, startPostgres } from '../support/postgres-server.js';
import { allRows } from '../support/rows.js';
import { execute, install, installedPackage, ownProject, root } from './consumer.js';
import { deliverUntilRefused } from './deliver-until-refused.js';

// What `init` writes, followed as a new user does, with Node 24. The gate tries two.
const ALL = ['express', 'hono', 'nest', 'next'].flatMap((server) => [`${server} file`, `${server} postgres`]);
const PROJECTS = allRows ? ALL : ['hono file', 'nest postgres'];

let postgres: PostgresServer | undefined;
beforeAll(async () => {
  if (!lacksPostgres()) postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

test.concurrent.for(PROJECTS)(
  'init: the project %s loses nothing',
  {
    timeout: 600_000,
  },
  async (project, context) => {
    const { expect, onTestFinished } = context;
    const [server = '', inbox = ''] = project.split(' ');
    if (inbox === 'postgres' && postgres === undefined) context.skip('needs Postgres');
    await postgres?.query(`CREATE DATABASE ${server}_${inbox}`);
    const node = await downloaded(nodeBinary('24.21.0'), context);
    const parent = ownProject(onTestFinished);
    const folder = join(parent, 'my-app');
    const PATH = [join(folder, 'node_modules/.bin'), dirname(node), process.env.PATH].join(delimiter);
    const env = { PATH, HOME: process.env.HOME, NEXT_TELEMETRY_DISABLED: '1' };
    const run = async (cwd: string, program: string, ...args: readonly string[]) =>
      (await execute(program, args, { cwd, env })).stdout;
    const command = [join(installedPackage(), 'dist/cli/index.js'), 'init', 'my-app'];
    const written = await run(parent, node, ...command, '--server', server, '--inbox', inbox);
    expect(written).toContain('cd my-app\n');
    // This version may not be published yet.
    await downloaded(install(folder), context);
    expect(await run(folder, 'npm', 'test')).toMatch(/^. pass 1$/m);
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      // What init wrote.
      readonly scripts: { readonly start: string; readonly build?: string };
    };
    if (server === 'next') addPagesRoute(folder);
    if (scripts.build !== undefined) await run(folder, 'npm', 'run', 'build');
    expect(existsSync(join(folder, 'webhooks.db'))).toBe(false);

    const fake = createFakePlatform();
    await using platform = await fake.listen();
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const { agentId, convoId, workspaceSecret } = fake.seed.eu;
    const event = { agentId, convoId };
    const database = postgres && { DATABASE_URL: postgres.url.replace(/postgres$/, `${server}_${inbox}`) };

    /** Starts the service, with another address of the fake than `.env` has. */
    const start = async () => {
      const settings = { PORT: port, AGENT_PLATFORM_BASE_URL_EU: platform.baseUrls.eu, ...database };
      const program = ['-c', `exec env ${scripts.start}`];
      const service = launch('sh', program, { cwd: folder, env: { ...env, ...settings } }, onTestFinished);
      const printed = () => service.lines.join('\n');
      const ready = async () => expect((await fetch(`${url}/ready`)).status, printed()).toBe(200);
      await vi.waitFor(ready, { timeout: 60_000, interval: 100 });
      const customers = () =>
        [...printed().matchAll(/customer: '(\w+)'|ticket for (\w+)/g)].map(([, a, b]) => a ?? b);
      const hasTicketOf = (name: string) => service.prints(RegExp(`customer: '${name}'|ticket for ${name}`));
      return { ...service, customers, hasTicketOf };
    };
    const send = async (customerName: string, path = '/webhooks') => {
      const unsubscribe = fake.webhooks.subscribe(url + path);
      const [delivery] = await fake.webhooks.send('chat_delegated', { ...event, customerName });
      unsubscribe();
      expect(delivery?.status).toBe(200);
    };
    /** Sends an event, and waits until its handler calls the service. */
    const sendUntilHandled = async (customerName: string) => {
      const calls = fake.requests.length;
      await send(customerName);
      await vi.waitFor(() => expect(fake.requests.length).toBeGreaterThan(calls), { timeout: 20_000 });
    };

    const killed = await start();
    await send('first');
    await killed.hasTicketOf('first');
    if (server === 'next') {
      await send('pages', '/api/webhooks');
      await killed.hasTicketOf('pages');
    }
    // One inbox in the process, however often Next loads the module.
    if (inbox === 'file' && process.platform === 'linux') expect(timesOpen(killed.pid)).toBe(1);
    fake.faults.inject({ endpoint: endpoints.getConversation, kind: 'stall' });
    await sendUntilHandled('killed');
    await killed.end('SIGKILL');
    fake.faults.clear();

    const ending = await start();
    fake.faults.inject({ endpoint: endpoints.getConversation, kind: 'latency', ms: 3_000 });
    await sendUntilHandled('running');
    fake.faults.clear();
    const { accepted, failures, keepAlive } = await deliverUntilRefused(
      `${url}/webhooks`,
      workspaceSecret,
      event,
      () => ending.end('SIGTERM'),
    );
    expect([keepAlive, failures]).toEqual(['timeout=65', new Set(['ECONNREFUSED'])]);
    expect(await ending.ended).toEqual([0, null]);
    expect(ending.customers()).toContain('running');

    const last = await start();
    await last.hasTicketOf('killed');
    const handled = () => new Set([...ending.customers(), ...last.customers()]);
    await vi.waitFor(() => expect(accepted.filter((name) => !handled().has(name))).toEqual([]), 20_000);
    expect(await last.end('SIGINT')).toEqual([0, null]);
  },
);

/** Adds the route of the guide for Next's Pages Router. */
function addPagesRoute(folder: string): void {
  const guide = readFileSync(join(root, 'docs/guides/servers.md'), 'utf8');
  const [, path = '', code = ''] = /```ts (pages\/api\/\S+)\n([\s\S]*?)```/.exec(guide) ?? [];
  mkdirSync(join(folder, 'pages/api'), { recursive: true });
  writeFileSync(join(folder, path), code);
}

/** How often a process has the file of its inbox open. */
function timesOpen(pid: number | undefined): number {
  const folder = `/proc/${pid}/fd`;
  const files = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return ''; // closed meanwhile
    }
  });
  return files.filter((file) => file.endsWith('/webhooks.db')).length;
}
