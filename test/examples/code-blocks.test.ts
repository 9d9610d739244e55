import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { blocksOfMarkdown, blocksOfSource, compileErrors } from '../docs/code-blocks.js';

const filesIn = (directory: string, suffix: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(suffix) && !file.includes('node_modules'))
    .map((file) => `${directory}/${file}`);

const documents = [
  ...readdirSync('.').filter((file) => file.endsWith('.md')),
  ...['skills', 'docs', 'examples'].flatMap((directory) => filesIn(directory, '.md')),
];

test('every TypeScript block of the documentation and of doc comments compiles', () => {
  const blocks = [
    ...documents.flatMap((file) => blocksOfMarkdown(file, readFileSync(file, 'utf8'))),
    ...filesIn('src', '.ts').flatMap((file) => blocksOfSource(file, readFileSync(file, 'utf8'))),
  ];
  expect(blocks).not.toEqual([]);
  expect(compileErrors(blocks)).toEqual([]);
}, 300_000);

test('the files in the NestJS guide are those of the example', () => {
  const blocks = blocksOfMarkdown('nestjs', readFileSync('docs/guides/nestjs.md', 'utf8'));
  const named = blocks.filter(({ file }) => file !== undefined);
  expect(named).not.toEqual([]);
  for (const { file, code } of named) {
    expect(readFileSync(`examples/init/nest/src/${file}`, 'utf8')).toContain(code.trim());
  }
});
