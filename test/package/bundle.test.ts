import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, inject, test } from 'vitest';
import { project } from './install.js';

/** Bundles a program of the consumer's. What is left of `node:` shows in the result. */
async function bundle(code: string, directory = project(inject('consumer'), {})): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: directory },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    // Comments may say what they like.
    minifyWhitespace: true,
    platform: 'neutral',
    external: ['node:*'],
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** The built files in a folder without package.json, so that nothing vouches for them but their own code. */
function withoutManifest(): string {
  const directory = project(inject('consumer'), { 'package.json': '{}' });
  cpSync(join(inject('consumer'), 'node_modules/agent-platform-sdk/dist'), directory, { recursive: true });
  return directory;
}

test('loading the package has no effect that a bundler must keep', async () => {
  const code = await bundle(`import './index.js';`, withoutManifest());
  expect(code).not.toMatch(/\bclass\b/);
  expect(code).not.toMatch(/Schema=/);
});

test.each([
  ['an error class', 'ApiError', ['ZodMini', '/tools/{toolId}', 'workspaceSecret must']],
  ['a schema', 'ToolSchema', ['/tools/{toolId}', 'AgentPlatformError', 'ConversationSchema']],
])('whoever imports %s alone bundles nothing else', async (_, name, unwanted) => {
  const code = await bundle(`import { ${name} } from 'agent-platform-sdk'; console.log(${name});`);
  expect(code).toContain(name);
  for (const text of unwanted) expect(code).not.toContain(text);
});

test('a bundle of everything names no module of Node', async () => {
  const code = await bundle(`export * from 'agent-platform-sdk';`);
  expect(code).not.toMatch(/["']node:/);
});
