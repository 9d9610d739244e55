import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { project, root, run } from './install.js';

const expected = {
  name: 'AgentPlatform',
  tool: 'tool-1',
  refused: { name: 'NotFoundError', type: 'not_found_error', status: 404 },
  misconfigured: 'ConfigurationError',
  fake: 'function',
};

const formats = ['program.mjs', 'program.cjs'];

test.each(formats)('%s uses the client and the fake without msw installed', (as) => {
  expect(run(inject('consumer'), 'client', { as })).toMatchObject(expected);
});

test.each(formats)('%s uses the msw handlers, the inbox and the shared store', (as) => {
  expect(run(inject('consumerWithPeers'), 'msw', { as })).toMatchObject({ handlers: true });
  expect(run(inject('consumerWithPeers'), 'queue', { as })).toEqual([
    'ConfigurationError',
    'ConfigurationError',
  ]);
});

test('errors are recognised across the ESM and the CommonJS copy, and across entry points', () => {
  expect(run(inject('consumer'), 'both')).toEqual({
    esmIsCommon: true,
    commonIsEsm: true,
    subclassIsNotSibling: true,
  });
});

test.each(formats)('the stack of an error begins at the line of %s', (as) => {
  const printed = run(inject('consumer'), 'stack', { as }) as [string, string][];
  expect(printed.map(([error]) => error)).toEqual([
    'ConfigurationError',
    'ConfigurationError',
    'WebhookVerificationError',
    'RequestValidationError',
    'NotFoundError',
    'ResponseValidationError',
  ]);
  for (const [, frame] of printed) expect(frame).toContain(as);
});

test('importing the client loads nothing of Node that it may not need', () => {
  expect(run(inject('consumer'), 'loaded')).toEqual({ name: 'AgentPlatform', loaded: [] });
});

test('the example for CommonJS: the client, the fake and parseWebhook', () => {
  const program = join(project(inject('consumer'), {}), 'common.cjs');
  cpSync(join(root, 'examples/commonjs/main.cjs'), program);
  const lines = execFileSync(process.execPath, [program], { encoding: 'utf8' }).trim().split('\n');
  expect(lines).toEqual([
    'tool: find_invoice',
    expect.stringMatching(/^refused: GET \/tools\/nowhere answered 404: /),
    'event: lead_captured of Dana',
  ]);
});
