import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { project, root } from './install.js';

test('commonjs: the client, the fake and parseWebhook in CommonJS', () => {
  const directory = project(inject('consumer'), {});
  const program = join(directory, 'common.cjs');
  cpSync(join(root, 'examples/commonjs/main.cjs'), program);
  const lines = execFileSync(process.execPath, [program], { encoding: 'utf8' }).trim().split('\n');
  expect(lines).toEqual([
    'tool: find_invoice',
    expect.stringMatching(/^refused: GET \/tools\/nowhere answered 404: /),
    'event: lead_captured of Dana',
  ]);
});
