import { readFileSync } from 'node:fs';
import { endpoints, webhookEvents } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { FAULT_KINDS } from '../../src/testing/fake/faults/kinds.js';
import { createClient } from '../support/client.js';

function expectIn(file: string, texts: readonly string[]): void {
  const page = readFileSync(file, 'utf8');
  const missing = texts.filter((text) => !page.includes(text));
  expect(missing, `Add a row to the table in ${file}.`).toEqual([]);
}

/** Methods of resources that send no operation of their own. */
const CONVENIENCES: readonly string[] = [];

test('the guides and the skill list each operation, each event and each kind of fault', () => {
  const routes = Object.values(endpoints).map(({ method, path }) => `\`${method} ${path}\``);
  const methods = Object.entries(createClient())
    .filter(([, resource]) => typeof resource === 'object')
    .flatMap(([name, resource]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
        .filter((method) => method !== 'constructor')
        .map((method) => `\`${name}.${method}\``),
    );
  expectIn('docs/guides/client.md', routes);
  expectIn('skills/agent-platform-sdk/SKILL.md', methods);
  const own = methods.filter((method) => !CONVENIENCES.includes(method));
  expect(own, 'If a method sends no operation of its own, add it to CONVENIENCES.').toHaveLength(
    routes.length,
  );
  expectIn(
    'docs/guides/testing.md',
    FAULT_KINDS.map((kind) => `| \`${kind}\``),
  );
  const types = Object.keys(webhookEvents).map((type) => `\`${type}\``);
  expectIn('docs/guides/webhooks.md', types);
  expectIn('docs/guides/order-and-loss.md', types);
});
