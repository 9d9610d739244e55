import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { installedPackage, ownProject, run } from './consumer.js';

// zod#5452, headstartwp#504: one process loads the package twice.

/** What a client of one copy does with the endpoints, the schemas and the errors of the other. */
const program = `
async function main(one, other) {
  const { AgentPlatform } = one;
  const sent = [];
  const fetch = async (url, { method, body }) => {
    sent.push(body);
    if (url.endsWith('/missing')) return Response.json({ message: 'No.' }, { status: 404 });
    const data = { id: 'id', key: 'k', name: null };
    return Response.json({ success: true, message: '', data: method === 'GET' && url.endsWith('s') ? [data] : data });
  };
  const drift = [];
  const hooks = { onDrift: ({ issues }) => drift.push(...issues.map(({ path }) => path.join('.'))) };
  const baseUrls = { eu: 'https://eu.example' };
  const logger = { error() {}, warn() {}, info() {}, debug() {} };
  const platform = new AgentPlatform({ region: 'eu', token: 'a-token', baseUrls, fetch, hooks, logger });
  const path = { agentId: 'agent' };
  const misspelt = { variable: { key: 'k', descripton: 'x' } };
  const refused = await platform.send(other.endpoints.createVariable, { path, body: misspelt }).catch((error) => error);
  const nothingSent = sent.length === 0;
  const tool = await platform.send(other.endpoints.getTool, { path: { toolId: 'tool' } });
  const list = other.endpoint({ method: 'GET', path: '/tools', response: other.withData(one.ToolSchema) });
  await platform.send(list).catch(() => undefined);
  const missing = await platform.tools.get('missing').catch((error) => error);
  console.log(JSON.stringify({
    copies: one.AgentPlatform !== other.AgentPlatform,
    refused: [refused instanceof other.RequestValidationError, refused.issues?.map(({ path }) => path.join('.'))],
    nothingSent,
    tolerated: tool.name === null && drift.includes('data.name'),
    missing: [missing instanceof other.NotFoundError, missing instanceof other.AgentPlatformError],
  }));
}`;

const expected = {
  copies: true,
  refused: [true, ['variable.descripton']],
  nothingSent: true,
  tolerated: true,
  missing: [true, true],
};

/** A project with the package, and with another copy of it below a dependency, as npm nests a second version. */
function projectWithTwo(): string {
  const folder = ownProject(onTestFinished);
  const modules = join(folder, 'node_modules');
  const nested = join(modules, 'dependency/node_modules');
  mkdirSync(nested, { recursive: true });
  for (const place of [modules, nested]) {
    cpSync(installedPackage(), join(place, 'agent-platform-sdk'), { recursive: true });
  }
  symlinkSync(join(inject('consumer'), 'node_modules/zod'), join(modules, 'zod'));
  writeFileSync(join(modules, 'dependency/index.mjs'), "export * from 'agent-platform-sdk';");
  writeFileSync(join(modules, 'dependency/index.cjs'), "module.exports = require('agent-platform-sdk');");
  return folder;
}

test.each([
  [
    'a nested second version',
    "import * as one from 'agent-platform-sdk'; import * as other from './node_modules/dependency/index.mjs';",
  ],
  [
    'ESM beside CommonJS',
    "import * as one from 'agent-platform-sdk'; import { createRequire } from 'node:module'; const other = createRequire(import.meta.url)('agent-platform-sdk');",
  ],
  [
    'CommonJS beside a nested ESM',
    "import { createRequire } from 'node:module'; const one = createRequire(import.meta.url)('agent-platform-sdk'); import * as other from './node_modules/dependency/index.mjs';",
  ],
])('two copies keep checks, tolerance and errors: %s', (_, imports) => {
  const folder = projectWithTwo();
  for (const call of ['main(one, other)', 'main(other, one)']) {
    writeFileSync(join(folder, 'program.mjs'), `${imports}\n${program}\nawait ${call};`);
    expect(JSON.parse(run(folder, 'program.mjs'))).toEqual(expected);
  }
});
