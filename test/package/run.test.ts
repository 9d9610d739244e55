import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { project, root } from './install.js';

/** Runs a file of `consumers/` as a program of the consumer's and returns what it prints. */
function run(consumer: string, name: string): unknown {
  const text = readFileSync(join(root, 'test/package/consumers', name), 'utf8');
  const directory = project(consumer, { [name]: text });
  return JSON.parse(execFileSync(process.execPath, [join(directory, name)], { encoding: 'utf8' }));
}

const expected = {
  name: 'AgentPlatform',
  tool: 'tool-1',
  refused: { name: 'NotFoundError', type: 'not_found_error', status: 404 },
  misconfigured: 'ConfigurationError',
  fake: 'function',
};

test.each(['module.mjs', 'common.cjs'])('%s uses the client and the fake without msw installed', (name) => {
  expect(run(inject('consumer'), name)).toMatchObject(expected);
});

test.each(['msw-module.mjs', 'msw-common.cjs'])('%s uses the msw handlers', (name) => {
  expect(run(inject('consumerWithPeers'), name)).toMatchObject({ handlers: true });
});

test.each(['queue-module.mjs', 'queue-common.cjs'])('%s uses the inbox and the shared store', (name) => {
  expect(run(inject('consumerWithPeers'), name)).toEqual(['ConfigurationError', 'ConfigurationError']);
});

test('errors are recognised across the ESM and the CommonJS copy, and across entry points', () => {
  expect(run(inject('consumer'), 'both.mjs')).toEqual({
    esmIsCommon: true,
    commonIsEsm: true,
    subclassIsNotSibling: true,
  });
});

test.each(['stack-module.mjs', 'stack-common.cjs'])(
  'the stack of an error begins at the line of %s',
  (name) => {
    const printed = run(inject('consumer'), name) as [string, string][];
    expect(printed.map(([error]) => error)).toEqual([
      'ConfigurationError',
      'ConfigurationError',
      'WebhookVerificationError',
      'RequestValidationError',
      'NotFoundError',
      'ResponseValidationError',
    ]);
    for (const [, frame] of printed) expect(frame).toContain(name);
  },
);

test('importing the client loads nothing of Node that it may not need', () => {
  expect(run(inject('consumer'), 'loaded.mjs')).toEqual({ name: 'AgentPlatform', loaded: [] });
});
