import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { blocksOfMarkdown, blocksOfSource, type CodeBlock, compileErrors } from './code-blocks.js';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const read = (document: string): string => readFileSync(`${root}/${document}`, 'utf8');

function filesIn(directory: string, suffix: string): string[] {
  if (!existsSync(`${root}/${directory}`)) return [];
  return readdirSync(`${root}/${directory}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(suffix))
    .map((file) => `${directory}/${file}`);
}

function allBlocks(): CodeBlock[] {
  const documents = ['README.md', 'CHANGELOG.md', ...filesIn('docs', '.md'), ...filesIn('examples', '.md')];
  return [
    ...documents
      .filter((document) => existsSync(`${root}/${document}`))
      .flatMap((document) => blocksOfMarkdown(document, read(document))),
    ...filesIn('src', '.ts').flatMap((source) => blocksOfSource(source, read(source))),
  ];
}

test('every TypeScript block of the documentation and of the doc comments compiles', {
  timeout: 120_000,
}, () => {
  const blocks = allBlocks();
  expect(blocks.length).toBeGreaterThan(0);
  expect(compileErrors(root, blocks)).toEqual([]);
});

test('every @example is a TypeScript block, so that it is compiled', () => {
  const bare = filesIn('src', '.ts').flatMap((source) => {
    const lines = read(source).split('\n');
    const isBare = (at: number) => !lines.slice(at, at + 3).some((line) => line.includes('```ts'));
    return lines.flatMap((line, at) =>
      line.includes('* @example') && isBare(at) ? [`${source}:${at + 1}`] : [],
    );
  });
  expect(bare).toEqual([]);
});

test('a block that does not compile is reported with its document and line', { timeout: 120_000 }, () => {
  const text = ['Text.', '```ts', 'const one = 1;', 'const two: string = one;', '```'].join('\n');
  const errors = compileErrors(root, blocksOfMarkdown('GUIDE.md', text));
  expect(errors).toEqual([expect.stringMatching(/^GUIDE\.md:4 Type 'number' is not assignable/)]);
});

test('a block that continues stands on the block before it', { timeout: 120_000 }, () => {
  const first = ['```ts', 'const one = 1;', '```'];
  const alone = ['```ts', 'one;', '```'];
  const continued = ['```ts', '// continues', 'one.nothing;', '```'];
  const errors = compileErrors(
    root,
    blocksOfMarkdown('GUIDE.md', [...first, ...alone, ...first, ...continued].join('\n')),
  );
  expect(errors).toEqual([
    expect.stringMatching(/^GUIDE\.md:5 Cannot find name 'one'/),
    expect.stringMatching(/^GUIDE\.md:12 Property 'nothing' does not exist/),
  ]);
});

test('a block inside a doc comment is read without its stars', () => {
  const source = ['/**', ' * Text.', ' * @example', ' * ```ts', ' * const one = 1;', ' * ```', ' */'].join(
    '\n',
  );
  expect(blocksOfSource('src/file.ts', source)).toEqual([
    { document: 'src/file.ts', line: 5, code: '\n\n\n\nconst one = 1;' },
  ]);
});
