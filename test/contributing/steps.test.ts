import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { read } from '../docs/all-blocks.js';
import type { Change } from './change.js';
import { error } from './changes/error.js';
import { event } from './changes/event.js';
import { operation } from './changes/operation.js';
import { complaintsOf, copyOfProject, make } from './copy.js';
import { errorsIn } from './overlay.js';

const changes: readonly Change[] = [operation, event, error];

/** The files and folders that a chapter of CONTRIBUTING.md names. */
function namedIn(heading: string): string[] {
  const [, chapter = ''] = read('CONTRIBUTING.md').split(`\n## ${heading}\n`);
  const [text = ''] = chapter.split('\n## ');
  return [...text.matchAll(/`((?:src|test|docs)\/[^`]*|README\.md)`/g)].map(([, path = '']) => path);
}

const covers = (named: string, file: string) =>
  named.endsWith('/') ? file.startsWith(named) : file === named;

test.each(changes)(
  '$heading: the steps name every file that is edited, and no other',
  ({ heading, edits }) => {
    const named = namedIn(heading);
    const files = edits.map(({ file }) => file);
    expect(files.filter((file) => !named.some((path) => covers(path, file)))).toEqual([]);
    expect(named.filter((path) => !files.some((file) => covers(path, file)))).toEqual([]);
  },
);

const demands = changes.flatMap(({ heading, edits, demanded }) =>
  demanded.map((file) => ({ heading, file, edits })),
);

test.each(demands)('$heading: the compiler asks for $file', ({ file, edits }) => {
  expect(
    errorsIn(
      file,
      edits.filter((edit) => edit.file !== file),
    ),
  ).not.toEqual([]);
  expect(errorsIn(file, edits)).toEqual([]);
});

let copy: string;

beforeAll(() => {
  copy = copyOfProject();
  for (const { edits } of changes) for (const edit of edits) make(copy, edit);
});

afterAll(() => rmSync(copy, { recursive: true }));

test('after the steps, everything compiles and the tests pass', () => {
  expect(complaintsOf(copy, 'tsx', 'scripts/openapi/index.ts')).toBe('');
  const printed = ['test/docs/printed.test.ts', '--update', '-t', 'as it is printed'];
  expect(complaintsOf(copy, 'vitest', 'run', ...printed)).toBe('');
  expect(complaintsOf(copy, 'tsc', '--noEmit')).toBe('');
  const tests = [...new Set(changes.flatMap(({ tests }) => tests))];
  expect(complaintsOf(copy, 'vitest', 'run', 'test/architecture.test.ts', ...tests)).toBe('');
});
