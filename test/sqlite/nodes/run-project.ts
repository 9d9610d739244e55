import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, inject, type TestContext } from 'vitest';
import { downloaded, installTool } from '../../runtimes/tool-cache.js';

/** Runs the same tests in another Node, which is downloaded once, and prints what it printed. */
export async function expectProjectToPass(
  project: string,
  version: string,
  context: TestContext,
): Promise<void> {
  const name = `node-${process.platform}-${process.arch}`;
  const node = join(await downloaded(installTool(`${name}@${version}`), context), name, 'bin/node');
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...inject('sameTests')];
  const { status, stdout, stderr } = spawnSync(node, args, { env, encoding: 'utf8' });
  console.log(stdout);
  expect(status, stderr).toBe(0);
}
