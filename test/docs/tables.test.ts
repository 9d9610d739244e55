import { readdirSync, readFileSync } from 'node:fs';
import { AgentPlatform, endpoints, webhookEvents } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { FAULT_KINDS } from '../../src/testing/fake/faults/kinds.js';

function expectIn(file: string, texts: readonly string[], heading = ''): void {
  const page = readFileSync(file, 'utf8');
  const section = page.slice(page.indexOf(heading));
  const missing = texts.filter((text) => !section.includes(text));
  expect(missing, `Add a row to the table in ${file}.`).toEqual([]);
}

/** Methods of resources that send no operation of their own. */
const CONVENIENCES: readonly string[] = [];

test('the guides and the skill list each operation, each event and each kind of fault', () => {
  const routes = Object.values(endpoints).map(({ method, path }) => `\`${method} ${path}\``);
  const platform = new AgentPlatform({ region: 'eu', token: 'x', baseUrls: { eu: 'https://eu.test' } });
  const methods = Object.entries(platform)
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
  expectIn('docs/guides/webhooks.md', types, '### What never arrived');
});

test('a table of the guides has each option of the client, receivers, stores, inboxes and the fake', () => {
  const folders = ['bullmq', 'client', 'inbox', 'postgres', 'redis', 'sqlite', 'testing', 'webhooks'];
  const sources = folders.flatMap((folder) =>
    readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(`src/${folder}/${file}`, 'utf8')),
  );
  // Arguments of functions have only doc comments, and those of `fetch` a chapter of their own.
  const interfaces =
    /export interface (?!ListDead|Parse|Fetch)(?:\w+Options|Backoff)\b[^{]*\{\n([\s\S]*?)\n\}/g;
  const options = sources
    .flatMap((source) => [...source.matchAll(interfaces)])
    .flatMap(([, body = '']) => [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name));
  expect(options).toContain('deadLetterRetention');
  const listed = ['client', 'webhooks', 'deploying', 'inbox', 'testing']
    .flatMap((guide) => readFileSync(`docs/guides/${guide}.md`, 'utf8').split('\n'))
    .filter((line) => line.startsWith('|'))
    .flatMap((row) => [...row.matchAll(/`[^`]+`/g)])
    .flatMap(([code]) => code.match(/\w+/g) ?? []);
  const missing = options.filter((option) => !listed.includes(option));
  expect(missing, 'Add it to the table of options in a guide.').toEqual([]);
});
