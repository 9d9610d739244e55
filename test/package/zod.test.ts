import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { installedTools } from '../../scripts/tool-cache.js';
import { compile, RESOLUTIONS } from './compile.js';
import { project, root, run } from './install.js';

/** The versions that users make their own schemas with, from the oldest allowed minor on; ours are made with a copy. */
const MINORS = ['4.0.17', '4.1.13', '4.3.6', '4.6.7'] as const;

/** A project as npm lays it out for a consumer with a zod of their own: the package shares it if it can, and else has another. */
function withZod(version: string): string {
  const consumer = project(inject('consumer'), {});
  const modules = join(consumer, 'node_modules');
  const home = join(modules, 'agent-platform-sdk');
  cpSync(join(inject('consumer'), 'node_modules/agent-platform-sdk'), home, { recursive: true });
  symlinkSync(join(installedTools(`zod@${version}`), 'zod'), join(modules, 'zod'));
  if (!version.startsWith('4.')) {
    mkdirSync(join(home, 'node_modules'));
    symlinkSync(join(root, 'node_modules/zod'), join(home, 'node_modules/zod'));
  }
  return consumer;
}

const composed = {
  list: [{ id: 'tool-1', unheardOf: true }],
  refused: ['invalid_type', '0.id'],
  extended: { id: 'tool-1', region: 'eu' },
  answer: { id: 'tool-1' },
  delivery: { message: 'hello', createdAt: 1, workspaceSecret: 's' },
  json: ['object', 'string'],
};

test.each(MINORS)('schemas compose with zod %s, classic and mini', (version) => {
  expect(run(withZod(version), 'zod')).toEqual([composed, composed]);
});

test('whoever still has zod 3 is not disturbed', () => {
  expect(run(withZod('3.25.76'), 'zod-three')).toEqual({
    theirs: 'Expected string, received number',
    ours: 'expected string, received number',
  });
});

test('what a user sets with z.config changes neither what the package accepts nor what it says', () => {
  const { theirs, ...ours } = run(withZod('4.6.7'), 'zod-config') as Record<string, unknown>;
  expect(theirs).toBe('customised');
  expect(ours).toEqual({
    tool: { id: 'tool-1', channels: ['web-chat'], unheardOf: true },
    response: [{ path: ['data', 'id'], code: 'invalid_type', message: 'expected string, received number' }],
    webhook: [
      { path: ['payload', 'message'], code: 'invalid_type', message: 'expected string, received number' },
    ],
  });
});

test('no code is made of strings', () => {
  const flags = ['--disallow-code-generation-from-strings'];
  expect(run(inject('consumer'), 'client', { flags })).toMatchObject({ tool: 'tool-1' });
  expect(run(withZod('4.6.7'), 'zod', { flags })).toEqual([composed, composed]);
});

test.each(['4.0.17', '4.6.7'])('the declarations fit zod %s', async (version) => {
  const consumer = withZod(version);
  for (const [, resolution] of RESOLUTIONS.slice(0, 2)) {
    expect(await compile('5.9.3', { consumer, name: 'zod-types.ts', resolution })).toBe('');
  }
});
