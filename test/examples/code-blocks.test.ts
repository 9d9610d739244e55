import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newPath } from '../support/new-file.js';

/** TypeScript in a document, padded so that its line numbers are those of the document. */
interface CodeBlock {
  readonly document: string;
  /** Line of the first line of code, counted from 1. */
  readonly line: number;
  readonly code: string;
  /** Its own file name, which other blocks of the folder can import: ` ```ts handlers.ts `. */
  readonly file?: string | undefined;
}

/**
 * The TypeScript blocks of a Markdown text. `// continues` at the start appends a block to the one before it.
 */
function blocksOfMarkdown(document: string, text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^\s*```(?:ts|typescript)\b *(\S+)?/.exec(lines[at] ?? '');
    if (fence === null) continue;
    const start = at + 1;
    do at += 1;
    while (at < lines.length && !lines[at]?.trimStart().startsWith('```'));
    const code = lines.slice(start, at).join('\n');
    const before = code.startsWith('// continues') ? (blocks.at(-1)?.code ?? '') : '';
    const padding = '\n'.repeat(start - before.split('\n').length + 1);
    blocks.push({ document, line: start + 1, code: `${before}${padding}${code}`, file: fence[1] });
  }
  return blocks;
}

/** The TypeScript blocks in the doc comments of a source file. */
function blocksOfSource(document: string, text: string): CodeBlock[] {
  const commentsOnly = text.split('\n').map((line) => /^\s*\*(?!\/) ?(.*)$/.exec(line)?.[1] ?? '');
  return blocksOfMarkdown(document, commentsOnly.join('\n'));
}

/** Declares the packages of code blocks that the repository doesn't have. The example of Nest is compiled with them. */
const MISSING_PACKAGES: CodeBlock = {
  document: 'missing-packages',
  line: 1,
  file: 'missing-packages.d.ts',
  code: `
    declare module '@nestjs/testing';
    declare module '@nestjs/common' {
      export const Controller: any, Get: any, Inject: any, Injectable: any, Module: any;
      export const Logger: any, ServiceUnavailableException: any;
      export interface BeforeApplicationShutdown { beforeApplicationShutdown(): unknown }
      export interface OnApplicationBootstrap { onApplicationBootstrap(): unknown }
    }
    declare module '@nestjs/core' {
      export const NestFactory: any;
      export class HttpAdapterHost { httpAdapter: any }
    }`,
};

const nameOf = ({ document, line, file }: CodeBlock): string =>
  file === undefined ? `${document}.${line}.ts` : join(dirname(document), file);

/** Type-checks each block as a module, beside the files of the repository. An error reads `README.md:12 message`. */
function compileErrors(blocks: readonly CodeBlock[]): string[] {
  const root = process.cwd();
  const config = newPath('tsconfig.json');
  const folder = dirname(config);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const files = new Map([MISSING_PACKAGES, ...blocks].map((block) => [nameOf(block), block]));
  for (const [name, { code }] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), code);
  }
  const compilerOptions = {
    moduleDetection: 'force',
    allowImportingTsExtensions: true,
    // The blocks of Nest.
    experimentalDecorators: true,
    // Blocks import files of their folder.
    rootDirs: [folder, root],
  };
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    files: [...files.keys(), join(root, 'src/testing/http/page/raw.d.ts')],
    include: [],
  };
  writeFileSync(config, JSON.stringify(settings));
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler], options);
  if (status === 0) return [];
  const errors = [...stdout.matchAll(/^(.+)\((\d+),\d+\): error (.*)$/gm)];
  if (errors.length === 0) return [stdout + stderr];
  return errors.map(([, name = '', line, text]) => `${files.get(name)?.document ?? name}:${line} ${text}`);
}

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
