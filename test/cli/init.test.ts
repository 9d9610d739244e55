import * as fs from 'node:fs';
import { join } from 'node:path';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { version } from '../../package.json';
import { newPath } from '../support/new-file.js';
import { finish } from './terminal.js';

// test/package/init.test.ts installs and runs what is written.

const filesIn = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

const read = (...path: readonly string[]): string => fs.readFileSync(join(...path), 'utf8');
const manifestOf = (folder: string) =>
  JSON.parse(read(folder, 'package.json')) as { readonly dependencies: Readonly<Record<string, string>> };

test.each(['express', 'hono', 'nest', 'next'])('--server %s copies its example', async (server) => {
  const folder = newPath('my-app');
  const { code, lines } = await finish(['init', folder, '--server', server]);
  expect(code).toBe(0);
  expect(lines.join()).toContain(`cd ${folder}\n  npm install\n  npm test\n`);

  const example = `examples/init/${server}`;
  expect(filesIn(folder).sort()).toEqual([...filesIn(example), '.env', '.gitignore'].sort());
  for (const file of filesIn(example).filter((name) => name !== 'package.json')) {
    expect(read(folder, file)).toBe(read(example, file));
  }
  const { dependencies, ...rest } = manifestOf(example);
  expect(manifestOf(folder)).toEqual({
    ...rest,
    name: 'my-app',
    dependencies: { ...dependencies, 'agent-platform-sdk': `^${version}` },
  });
  expect(read(folder, '.gitignore').split('\n')).toContain('.env');
  expect(read(folder, '.env')).toContain(createFakePlatform().seed.eu.workspaceSecret);
});

test('--inbox postgres replaces one file, and adds the driver and its setting', async () => {
  const [file, postgres] = [newPath('app'), newPath('app')];
  await finish(['init', file, '--server', 'next']);
  const { lines } = await finish(['init', postgres, '--server', 'next', '--inbox', 'postgres']);
  expect(lines.join()).toContain('with your DATABASE_URL in .env: npm run dev');
  expect(filesIn(postgres)).toEqual(filesIn(file));
  const differing = filesIn(file).filter((path) => read(file, path) !== read(postgres, path));
  expect(differing.sort()).toEqual(['.env', 'lib/inbox.ts', 'package.json']);
  expect(read(postgres, 'lib/inbox.ts')).toBe(read('examples/init/inbox/postgres.ts'));
  expect(manifestOf(postgres).dependencies).toHaveProperty('pg');
  expect(read(postgres, '.env')).toContain('DATABASE_URL=postgres://');
});

test('an empty folder is filled, also one with a repository; npm would refuse its name', async () => {
  const folder = newPath('My App');
  fs.mkdirSync(join(folder, '.git'), { recursive: true });
  const { code, lines } = await finish(['init', folder, '--server', 'hono']);
  expect([code, lines.join()]).toEqual([0, expect.stringContaining(`cd '${folder}'\n`)]);
  expect(manifestOf(folder)).not.toHaveProperty('name');
});

test('a folder with a file is left alone', async () => {
  const folder = newPath('app');
  fs.mkdirSync(folder);
  fs.writeFileSync(join(folder, 'notes.txt'), 'mine');
  const { code, errors } = await finish(['init', folder, '--server', 'hono']);
  expect([code, errors[0]]).toEqual([2, expect.stringContaining('is not empty')]);
  expect(filesIn(folder)).toEqual(['notes.txt']);
});

test.each([
  [[], 'Missing --server. Choose one of: express, hono, nest, next.'],
  [['--server', 'koa'], 'Unknown --server "koa".'],
  [['--server', 'hono', '--inbox', 'redis'], 'Unknown --inbox "redis". Choose one of: file, postgres.'],
])('%j names what there is, and where the rest is described', async (args, problem) => {
  const folder = newPath('app');
  const { code, errors } = await finish(['init', folder, ...args]);
  expect([code, errors[0]]).toEqual([2, expect.stringContaining(problem)]);
  const named = [...(errors[0] ?? '').matchAll(/: (\/.*)$/gm)].map(([, path = '']) => fs.existsSync(path));
  expect([named, fs.existsSync(folder)]).toEqual([[true, true], false]);
});
