import { dirname, join } from 'node:path';
import ts from 'typescript';

/** TypeScript in a document, padded so that its line numbers are those of the document. */
export interface CodeBlock {
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
export function blocksOfMarkdown(document: string, text: string): CodeBlock[] {
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
export function blocksOfSource(document: string, text: string): CodeBlock[] {
  const commentsOnly = text.split('\n').map((line) => /^\s*\*(?!\/) ?(.*)$/.exec(line)?.[1] ?? '');
  return blocksOfMarkdown(document, commentsOnly.join('\n'));
}

/** What blocks take from packages that the repository doesn't have. The example of Nest is compiled with them. */
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

/** Type-checks each block as a module. An error reads `README.md:12 message`. */
export function compileErrors(blocks: readonly CodeBlock[]): string[] {
  const root = process.cwd();
  const { config } = ts.readConfigFile('tsconfig.json', (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options: project } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const options = {
    ...project,
    moduleDetection: ts.ModuleDetectionKind.Force,
    allowImportingTsExtensions: true,
    noEmit: true,
    // The blocks of Nest.
    experimentalDecorators: true,
  };
  const files = new Map([MISSING_PACKAGES, ...blocks].map((block) => [join(root, nameOf(block)), block]));
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  // Folders of blocks that have a path of their own.
  host.directoryExists = () => true;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.getSourceFile = (name, version) => {
    const block = files.get(name);
    return block ? ts.createSourceFile(name, block.code, version) : getSourceFile(name, version);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files].flatMap(([name, { document }]) => {
    const source = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ start = 0, messageText }) => {
      const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${document}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });
}
