import { readFileSync } from 'node:fs';
import { endpoints, webhookEvents } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { createClient } from '../support/client.js';

const missingIn = (file: string, texts: readonly string[]): string[] => {
  const page = readFileSync(file, 'utf8');
  return texts.filter((text) => !page.includes(text));
};

test('the guides and the skill list each operation and each event', () => {
  const routes = Object.values(endpoints).map(({ method, path }) => `\`${method} ${path}\``);
  const methods = Object.entries(createClient())
    .filter(([, resource]) => typeof resource === 'object')
    .flatMap(([name, resource]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
        .filter((method) => method !== 'constructor')
        .map((method) => `\`${name}.${method}\``),
    );
  expect(missingIn('docs/guides/client.md', routes)).toEqual([]);
  expect(missingIn('skills/agent-platform-sdk/SKILL.md', methods)).toEqual([]);
  expect(methods).toHaveLength(routes.length);
  const types = Object.keys(webhookEvents).map((type) => `\`${type}\``);
  expect(missingIn('docs/guides/webhooks.md', types)).toEqual([]);
  expect(missingIn('docs/guides/order-and-loss.md', types)).toEqual([]);
});
