import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inject, type TestContext } from 'vitest';
import { downloaded, nodeBinary } from '../../runtimes/tool-cache.js';

/** Runs the same tests in another Node, which is downloaded once, and prints what it printed. */
export async function expectProjectToPass(
  project: string,
  version: string,
  context: TestContext,
): Promise<void> {
  const node = await downloaded(nodeBinary(version), context);
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...inject('sameTests')];
  const run = promisify(execFile)(node, args, { env, maxBuffer: 2 ** 26 });
  // It rejects if a test fails.
  const { stdout } = await run.catch((error: Error & { readonly stdout: string }) => {
    console.log(error.stdout);
    throw error;
  });
  console.log(stdout);
  context.expect(stdout).toContain('passed');
}
