import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');

/** What a diagram says, as text: its pictures are drawn around it. */
function wordsOf(diagram: string): string[] {
  return [...read(`docs/diagrams/${diagram}.svg`).matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(
    ([, words = '']) => words,
  );
}

test('the diagram of a delivery shows every status that a receiver answers', () => {
  const statuses = [...read('src/webhooks/answers.ts').matchAll(/^ {2}\w+: (\d{3}),$/gm)].map(
    ([, status = '']) => status,
  );
  const shown = wordsOf('delivery').flatMap((words) => /^\d{3}/.exec(words) ?? []);
  expect([...new Set(shown)].sort()).toEqual([...new Set(statuses)].sort());
});

test('the diagram of the modules shows every directory of the source', () => {
  const directories = readdirSync(`${root}/src`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const shown = wordsOf('modules').map((words) => words.replace(/^\//, ''));
  expect(directories.filter((name) => !shown.includes(name))).toEqual([]);
});

test.each(['delivery', 'modules'])(
  'the diagram %s has a title, a description, and colours for the dark',
  (diagram) => {
    const svg = read(`docs/diagrams/${diagram}.svg`);
    expect(svg).toMatch(/<title id="title">\w.*<\/title>\n {2}<desc id="desc">\w.*<\/desc>/);
    expect(svg).toContain('@media (prefers-color-scheme: dark)');
  },
);
