import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
import { blocksOfMarkdown } from '../docs/code-blocks.js';
import { install, project, root } from './install.js';

// The first hour of a newcomer, from an empty folder, with nothing but the README and the packed package.

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = blocksOfMarkdown('README.md', readme);

/** A block of the README as the JavaScript that it is without its types. */
function blockWith(text: string): string {
  const block = blocks.find(({ code }) => code.includes(text)) ?? expect.unreachable(`no block with ${text}`);
  return ts.transpile(block.code.trimStart(), {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
  });
}

const children: ChildProcess[] = [];

/** Starts a program, and gathers what it prints. */
function start(directory: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, args, { cwd: directory, env: { PATH: process.env.PATH, ...env } });
  children.push(child);
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed.text += String(chunk);
    });
  }
  return printed;
}

let consumer: string;
let folder: string;
/** The command of the package. */
let command: string;
let appPort: number;
/** The lines that the fake prints. */
let fake: { readonly text: string };

beforeAll(async () => {
  consumer = install(inject('tarball'));
  folder = project(consumer, {});
  appPort = await freePort();
  command = join(consumer, 'node_modules/agent-platform-sdk/dist/cli/index.js');
  const webhook = `http://127.0.0.1:${appPort}/webhooks`;
  fake = start(folder, [command, 'fake', '--port', '0', '--webhook', webhook]);
  await vi.waitUntil(() => fake.text.includes('curl '), { timeout: 60_000 });
});

afterAll(() => {
  for (const child of children) child.kill();
  rmSync(consumer, { recursive: true });
});

/** The settings that the fake prints to be saved as `.env`. */
const settings = () => (fake.text.match(/^[A-Z_]+=.*$/gm) ?? []).join('\n');

function nodeIn(directory: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, args, {
    cwd: directory,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
}

test('the settings of the README are those that the fake prints', () => {
  const printed = settings().replaceAll(/:\d+/g, ':4010').split('\n');
  const shown = readme.match(/^[A-Z_]+=\S+$/gm) ?? [];
  expect(shown).toHaveLength(4);
  expect(printed).toEqual(expect.arrayContaining(shown));
});

test('the first call, as the README has it, to the fake with the settings that it prints', () => {
  const code = blockWith("tools.get('tool_eu_1')");
  const directory = project(consumer, { '.env': settings(), 'first.mjs': code });
  expect(nodeIn(directory, '--env-file=.env', 'first.mjs')).toBe(
    "find_invoice https://shop.example/orders [ 'web-chat' ]\n",
  );
});

test('the first webhook, as the README has it, posted by its command, and with the line that the fake prints', async () => {
  const code = blockWith('createServer(receiver.node)').replace('listen(3000)', `listen(${appPort})`);
  const directory = project(consumer, { '.env': settings(), 'webhooks.mjs': code });
  const printed = start(directory, ['--env-file=.env', 'webhooks.mjs']);
  await vi.waitFor(() => fetch(`http://127.0.0.1:${appPort}`), { timeout: 60_000 });

  const [, assignment = '', args = ''] =
    /^(\S+=\S+) npx agent-platform-sdk (trigger .+)$/m.exec(readme) ?? [];
  const [variable = '', value = ''] = assignment.split('=');
  const trigger = args.replace(':3000', `:${appPort}`).split(' ');
  const sent = start(directory, [command, ...trigger], { [variable]: value });
  await vi.waitFor(() => expect(sent.text).toContain('200'), { timeout: 60_000 });
  await vi.waitFor(() => expect(printed.text).toContain('customer@mail.example'));

  const [, header = '', body = '', url = ''] = /^curl -H (\S+) -d '(.+)' (\S+)$/m.exec(fake.text) ?? [];
  const [name = '', type = ''] = header.split(':');
  expect((await fetch(url, { method: 'POST', headers: { [name]: type }, body })).status).toBe(200);
  await vi.waitFor(() => expect(fake.text).toContain('webhook lead_captured 200'));
});

test('the first test, as the README has it, passes with the runner that it names', () => {
  const directory = project(consumer, { 'first.test.mjs': blockWith("from 'node:test'") });
  expect(nodeIn(directory, '--test')).toMatch(/# pass 2\n# fail 0/);
});
