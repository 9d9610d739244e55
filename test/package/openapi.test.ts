import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { removeLater, root, run } from './consumer.js';

// What programs in other languages begin with: openapi.json, read by tools of the npm registry.

const PACKAGES = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  // openapi-typescript brings the other validator, @redocly/openapi-core.
  '@seriousme/openapi-schema-validator@2.11.0',
  'typescript@5.9.3',
];
/** The fastest compiler. openapi-typescript needs another one. */
const TSC = join(inject('consumer'), 'node_modules/typescript-7.0/bin/tsc');

const app = mkdtempSync(join(tmpdir(), 'sdk-openapi-'));
const start = (program: string, ...args: readonly string[]) =>
  promisify(execFile)(program, args, { cwd: app });

beforeAll(async () => {
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  cpSync(join(root, 'test/package/consumers/openapi'), app, { recursive: true });
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await start('npm', 'install', ...quiet, join(inject('consumer'), 'package.tgz'), ...PACKAGES);
});
afterAll(() => removeLater(app));

test('two independent validators find nothing wrong', () => {
  expect(JSON.parse(run(app, 'validate.mjs'))).toEqual([[], []]);
});

test('a client that openapi-typescript generates compiles, and calls all operations of the fake', async () => {
  const document = 'node_modules/agent-platform-sdk/openapi.json';
  await start('npx', 'openapi-typescript', document, '--output', 'schema.d.ts');
  // If there are errors, tsc prints them, and exits with 2.
  const compiled = start(process.execPath, TSC).catch((error: { readonly stdout: string }) => error);
  expect((await compiled).stdout).toBe('');
  expect(JSON.parse(run(app, 'generated-client.js'))).toEqual([
    'offline',
    true,
    'BAD_REQUEST',
    true,
    true,
    'find_invoice',
    true,
    true,
    'lead_captured',
  ]);
});
