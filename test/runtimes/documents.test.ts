import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test, vi } from 'vitest';
import { execute, project, root, TYPESCRIPT } from '../package/consumer.js';
import { ADDRESS, launch } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';
import { downloaded, nodeBinary } from './tool-cache.js';

// Follows documents line by line in an empty folder, as a new user does.

const COMMAND = '../node_modules/agent-platform-sdk/dist/cli/index.js';

/** Returns the programs that a document says to save, by the name it gives: "Save this as `first.mjs`". */
function programsOf(document: string, port: number): Record<string, string> {
  const text = readFileSync(join(root, document), 'utf8').replaceAll(
    /(listen\(|localhost:)3000/g,
    `$1${port}`,
  );
  const programs = text.matchAll(/[Ss]ave this as\s`([\w.]+)`(?:(?!```)[\s\S])*```ts[^\n]*\n([\s\S]*?)```/g);
  return Object.fromEntries([...programs].map(([, name = '', code = '']) => [name, code]));
}

/** Creates the folder, and starts the fake with an address for its events. Saves the settings that it prints. */
async function begin(node: string, files: Readonly<Record<string, string>>, receiver: string) {
  const folder = project({ 'package.json': '{ "type": "module" }', ...files });
  const run = (...args: string[]) => execute(node, args, { cwd: folder, env: {} });
  const start = (...args: string[]) => launch(node, args, { cwd: folder, env: {} });
  const fake = start(COMMAND, 'fake', '--port', '0', '--webhook', receiver);
  await fake.prints(/Send an event/);
  const settings = fake.lines.filter((line) => line.startsWith('AGENT_PLATFORM_'));
  writeFileSync(join(folder, '.env'), settings.join('\n'));
  return { folder, run, start, fake, address: await fake.prints(ADDRESS) };
}

const settings = '--env-file=.env';

test('the programs of README run', async (context) => {
  const node = await downloaded(nodeBinary('24.21.0'), context);
  const port = await freePort();
  const programs = programsOf('README.md', port);
  const names = ['first.mjs', 'calls.mjs', 'webhooks.mjs', 'inbox.mjs', 'first.test.mjs'];
  expect(Object.keys(programs)).toEqual(names);
  const webhooks = `http://127.0.0.1:${port}/webhooks`;
  const { run, start } = await begin(node, programs, webhooks);

  const first = await run(settings, 'first.mjs');
  expect(first.stdout).toContain("find_invoice https://shop.example/orders [ 'web-chat' ]");
  expect((await run(settings, 'calls.mjs')).stdout).toContain('1 1 variable_eu_2 Thank you!');
  for (const file of ['webhooks.mjs', 'inbox.mjs']) {
    const receiver = start(settings, file);
    const trigger = () => run(settings, COMMAND, 'trigger', 'lead_captured', '--to', webhooks);
    await vi.waitFor(trigger, { timeout: 20_000, interval: 100 });
    await receiver.prints(/customer@mail.example/);
    await receiver.end();
  }
  expect((await run('--test')).stdout).toMatch(/^. pass 2$/m);
});

test('the program of "From zero to production" runs', async (context) => {
  const node = await downloaded(nodeBinary('24.21.0'), context);
  const port = await freePort();
  const guide = 'docs/guides/production.md';
  const programs = programsOf(guide, port);
  expect(Object.keys(programs)).toEqual(['handlers.ts', 'handlers.test.ts', 'app.ts']);
  const text = readFileSync(join(root, guide), 'utf8');
  const [, tsconfig = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
  const receiver = `http://127.0.0.1:${port}`;
  const files = { ...programs, 'tsconfig.json': tsconfig };
  const { folder, run, start, fake, address } = await begin(node, files, `${receiver}/webhooks`);
  const types = join(folder, 'node_modules/@types');
  mkdirSync(types, { recursive: true });
  symlinkSync(join(inject('consumer'), 'node_modules/types-node-24'), join(types, 'node'));

  const [checked, tested] = await Promise.all([
    run(join(TYPESCRIPT, 'bin/tsc')),
    run('--test'),
    run(settings, COMMAND, 'doctor'),
  ]);
  expect(checked.stdout).toBe('');
  expect(tested.stdout).toMatch(/^. pass 1$/m);

  const app = start(settings, 'app.ts');
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const ready = () => fetch(`${receiver}/ready`, { headers }).then(({ status }) => expect(status).toBe(200));
  await vi.waitFor(ready, 20_000);
  const send = async () => {
    const body = JSON.stringify({ type: 'chat_delegated' });
    await fetch(`${address}/_fake/events`, { method: 'POST', headers, body });
  };
  await send();
  await app.prints(/ticket \{/);
  await app.end();

  const [failure = ''] = /^const tickets = .*reject.*$/m.exec(text) ?? [];
  const failing = programs['app.ts']?.replace(/^const tickets = .*$/m, failure);
  writeFileSync(join(folder, 'failing.ts'), failing ?? '');
  const broken = start(settings, 'failing.ts');
  await vi.waitFor(ready, 20_000);
  await send();
  await broken.prints(/failed, and will be retried/);
  await broken.end('SIGKILL');

  const again = start(settings, 'app.ts');
  await again.prints(/ticket \{/);
  const inbox = await run(settings, COMMAND, 'doctor', '--inbox', 'webhooks.db');
  expect(inbox.stdout).toMatch(/ok +inbox/);
  // Idle connections, such as those of the fake, stay open for five seconds.
  await fake.end();
  expect(await again.end()).toEqual([0, null]);
});
