import { expect, test } from 'vitest';
import { project, run } from './consumer.js';

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

test.each([
  ['ESM beside CommonJS', 'main(one, other)'],
  ['CommonJS beside ESM', 'main(other, one)'],
])('two copies in a process keep checks, tolerance and errors: %s', (_, call) => {
  const imports = `
    import { createRequire } from 'node:module';
    import * as one from 'agent-platform-sdk';
    const other = createRequire(import.meta.url)('agent-platform-sdk');`;
  const folder = project({ 'program.mjs': `${imports}\n${program}\nawait ${call};` });
  expect(JSON.parse(run(folder, 'program.mjs'))).toEqual({
    copies: true,
    refused: [true, ['variable.descripton']],
    nothingSent: true,
    tolerated: true,
    missing: [true, true],
  });
});
