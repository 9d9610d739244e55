import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile, execute, install, ownProject, run } from './consumer.js';

// What programs in other languages begin with: openapi.json, read by tools of the npm registry.

const PACKAGES = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  // openapi-typescript brings the other validator, @redocly/openapi-core.
  '@seriousme/openapi-schema-validator@2.11.0',
  'typescript@5.9.3',
];

const app = ownProject(afterAll, {}, 'test/package/consumers/openapi');
beforeAll(() => install(app, ...PACKAGES));

test('two independent validators find nothing wrong', () => {
  expect(JSON.parse(run(app, 'validate.mjs'))).toEqual([[], []]);
});

test('a client that openapi-typescript generates compiles, and calls the fake', async () => {
  const document = 'node_modules/agent-platform-sdk/openapi.json';
  await execute('npx', ['openapi-typescript', document, '--output', 'schema.d.ts'], { cwd: app });
  const lib = ['es2022', 'dom', 'dom.iterable'];
  const options = { lib, types: [], noUncheckedIndexedAccess: true, skipLibCheck: true, noEmit: false };
  expect(await compile(app, options)).toBe('');
  const printed = ['offline', 'BAD_REQUEST', 'find_invoice', true, 'lead_captured'];
  expect(JSON.parse(run(app, 'generated-client.js'))).toEqual(printed);
});
