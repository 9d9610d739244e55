import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { blocksOfMarkdown, blocksOfSource, compileErrors } from './code-blocks.js';

const read = (file: string): string => readFileSync(file, 'utf8');
const filesIn = (directory: string, suffix: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(suffix) && !file.includes('node_modules'))
    .map((file) => `${directory}/${file}`);

const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'AGENTS.md'].concat(
  filesIn('skills', '.md'),
  filesIn('docs', '.md'),
  filesIn('examples', '.md'),
);
const sources = filesIn('src', '.ts');

test('every TypeScript block of the documentation and of the doc comments compiles', {
  timeout: 120_000,
}, () => {
  const blocks = [
    ...documents.flatMap((document) => blocksOfMarkdown(document, read(document))),
    ...sources.flatMap((source) => blocksOfSource(source, read(source))),
  ];
  expect(blocks.length).toBeGreaterThan(100);
  const broken = blocksOfMarkdown('BROKEN.md', 'Text.\n```ts\nconst one: string = 1;\n```');
  const continued = blocksOfMarkdown('BROKEN.md', '```ts\nlet a = 1;\n```\n\n```ts\n// continues\na.b;\n```');
  expect(compileErrors([...blocks, ...broken, ...continued])).toEqual([
    "BROKEN.md:3 Type 'number' is not assignable to type 'string'.",
    "BROKEN.md:7 Property 'b' does not exist on type 'number'.",
  ]);
});

test('every @example is a TypeScript block, so that it is compiled', () => {
  const bare = sources.flatMap((source) => {
    const lines = read(source).split('\n');
    const isBare = (at: number) => !lines.slice(at, at + 3).some((line) => line.includes('```ts'));
    return lines.flatMap((line, at) =>
      line.includes('* @example') && isBare(at) ? [`${source}:${at + 1}`] : [],
    );
  });
  expect(bare).toEqual([]);
});
