import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile, installed, project, run, source } from './consumer.js';

// What programs in other languages begin with: openapi.json, read by tools of the npm registry.

const DOCUMENT = '../node_modules/agent-platform-sdk/openapi.json';

test('two independent validators find nothing wrong', () => {
  const folder = project({ 'validate.mjs': source('openapi/validate.mjs') });
  expect(JSON.parse(run(folder, 'validate.mjs', DOCUMENT))).toEqual([[], []]);
});

test('a client that openapi-typescript generates compiles, and calls the fake', async () => {
  const folder = project({
    'package.json': '{ "type": "module" }',
    'generated-client.ts': source('openapi/generated-client.ts'),
  });
  run(folder, join(installed('openapi-typescript'), 'bin/cli.js'), DOCUMENT, '--output', 'schema.d.ts');
  const lib = ['es2022', 'dom', 'dom.iterable'];
  const options = { lib, types: [], noUncheckedIndexedAccess: true, skipLibCheck: true, noEmit: false };
  expect(await compile(folder, options)).toBe('');
  const printed = ['offline', 'BAD_REQUEST', 'find_invoice', true, 'lead_captured'];
  expect(JSON.parse(run(folder, 'generated-client.js'))).toEqual(printed);
});
