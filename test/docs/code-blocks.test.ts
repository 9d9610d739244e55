import { expect, test } from 'vitest';
import { allBlocks, filesIn, read, root } from './all-blocks.js';
import { blocksOfMarkdown, blocksOfSource, compileErrors } from './code-blocks.js';

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
