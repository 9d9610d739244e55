import { expect, test } from 'vitest';
import { filesIn, read } from '../docs/all-blocks.js';
import { commandOf, examples, introductionOf } from './examples.js';

test.each(examples())('%s says what it shows, and the one command', (example) => {
  expect(introductionOf(example).split('\n')[0]).toMatch(/^(\/\/|#) [A-Z].+/);
  expect(commandOf(example)).toMatch(/^(.*\b(npx|npm|node) .+)/);
});

test('examples/README.md lists every example, and no other', () => {
  const listed = [...read('examples/README.md').matchAll(/^\| \[`([^`]+)`\]\(\1\)/gm)].map(
    ([, name]) => name,
  );
  expect(new Set(listed)).toEqual(new Set(examples()));
});

test('every example is named by a test that runs it', () => {
  const tests = [...filesIn('test', '.ts'), ...filesIn('examples', '.test.ts'), 'package.json', '.ci/run'];
  const text = tests
    .filter((file) => !file.endsWith('introductions.test.ts'))
    .map(read)
    .join('\n');
  const unnamed = examples().filter((example) => !text.includes(example.replace(/\.ts$/, '')));
  expect(unnamed).toEqual([]);
});
