import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as sdk from 'agent-platform-sdk';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { namesIn, type PrintedForms, withPrinted } from './printed-blocks.js';
import { errorOf, inFull, MISHAPS } from './printed-errors.js';
import { linesAt } from './printed-logs.js';

const pathOf = (guide: string) => fileURLToPath(new URL(`../../docs/guides/${guide}.md`, import.meta.url));
const read = (guide: string) => readFileSync(pathOf(guide), 'utf8');

let errors: PrintedForms;

beforeAll(async () => {
  const forms = new Map<string, string>();
  for (const [name, mishap] of Object.entries(MISHAPS)) {
    const error = await errorOf(mishap);
    forms.set(name, String(error));
    if (name === 'ResponseValidationError') forms.set('in full', inFull(error));
  }
  errors = forms;
});

beforeEach(() => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AGENT_PLATFORM_')) vi.stubEnv(name, undefined);
  }
});

// `npx vitest run test/docs/printed.test.ts --update` writes what is printed into the guides.

test('the error guide shows each error as it is printed', async () => {
  await expect(withPrinted(read('errors'), errors)).toMatchFileSnapshot(pathOf('errors'));
});

test('the logging guide shows the lines as they are printed', async () => {
  const forms = new Map([
    ['logs at info', await linesAt('info')],
    ['logs at debug', await linesAt('debug')],
  ]);
  await expect(withPrinted(read('logging'), forms)).toMatchFileSnapshot(pathOf('logging'));
});

test('the error guide shows everything that is printed here', () => {
  expect(namesIn(read('errors')).sort()).toEqual([...errors.keys()].sort());
});

const classes = Object.keys(sdk).filter((name) => name.endsWith('Error') && name !== 'AgentPlatformError');

test.each(classes)('the error guide has a chapter for %s, with its printed form', (name) => {
  const [, chapter = ''] = read('errors').split(`\n### ${name}\n`);
  const [text = ''] = chapter.split(/\n##/);
  expect(text).toContain(`\n\`\`\`text\n${name}: `);
  expect(text.split('```').at(-1)?.trim()).toMatch(/\w+/);
});

test('a printed error is a first line, then indented ones: places by their path, then what to try', () => {
  for (const [name, form] of errors) {
    if (name === 'in full') continue;
    const [first, ...others] = form.split('\n');
    expect(first).toMatch(/^\w+Error: \S/);
    for (const line of others) expect(line).toMatch(/^ {2}(at \S+: |- |\S)/);
    const order = others.map((line) => (/^ {2}(at|-) /.test(line) ? 'place' : 'hint'));
    expect(order).toEqual([...order].sort().reverse());
  }
});

test('no printed error has colours', () => {
  const isPlain = (text: string) => /^[\n\x20-\uffff]*$/.test(text);
  expect([...errors.values()].filter((form) => !isPlain(form))).toEqual([]);
});
