import ts from 'typescript';

/** A piece of TypeScript in a document, padded so that its line numbers are those of the document. */
export interface CodeBlock {
  /** The document, relative to the project. */
  readonly document: string;
  /** The line of its first line of code, counted from 1. */
  readonly line: number;
  readonly code: string;
  /** Why it cannot be run, from the comment `<!-- not run: … -->` on the line before it. */
  readonly notRun?: string;
}

/** The TypeScript blocks of a Markdown text. One that starts with `// continues` stands on the block before it. */
export function blocksOfMarkdown(document: string, text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const { line, code, ...about } of fences(text.split('\n'))) {
    const previous = code.startsWith('// continues') ? (blocks.at(-1)?.code ?? '') : '';
    const padding = '\n'.repeat(line - 1 - previous.split('\n').length + 1);
    blocks.push({ document, line, code: `${previous}${padding}${code}`, ...about });
  }
  return blocks;
}

/** The TypeScript blocks inside the doc comments of a source file. */
export function blocksOfSource(document: string, text: string): CodeBlock[] {
  const commentsOnly = text.split('\n').map((line) => /^\s*\*(?!\/) ?(.*)$/.exec(line)?.[1] ?? '');
  return blocksOfMarkdown(document, commentsOnly.join('\n'));
}

/** Type-checks every block as a module of its own, all in one program; an error reads `README.md:12 message`. */
export function compileErrors(root: string, blocks: readonly CodeBlock[]): string[] {
  const files = new Map(blocks.map((block) => [`${root}/${block.document}.${block.line}.ts`, block]));
  const options = projectOptions(root);
  const program = ts.createProgram([...files.keys()], options, hostWith(files, options));
  return [...files].flatMap(([name, block]) => errorsIn(program, name, block));
}

function* fences(lines: readonly string[]): Generator<Omit<CodeBlock, 'document'>> {
  for (let at = 0; at < lines.length; at += 1) {
    const indent = /^(\s*)```(?:ts|typescript)\b/.exec(lines[at] ?? '')?.[1];
    if (indent === undefined) continue;
    const notRun = /^\s*<!-- not run: (.+) -->$/.exec(lines[at - 1] ?? '')?.[1];
    const start = at + 1;
    do at += 1;
    while (at < lines.length && !lines[at]?.trimStart().startsWith('```'));
    const block = { line: start + 1, code: lines.slice(start, at).join('\n') };
    yield notRun === undefined ? block : { ...block, notRun };
  }
}

function projectOptions(root: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return { ...options, moduleDetection: ts.ModuleDetectionKind.Force };
}

function hostWith(files: ReadonlyMap<string, CodeBlock>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    fileExists: (name) => files.has(name) || host.fileExists(name),
    readFile: (name) => files.get(name)?.code ?? host.readFile(name),
    getSourceFile(name, languageVersion, ...rest) {
      const block = files.get(name);
      if (block === undefined) return host.getSourceFile(name, languageVersion, ...rest);
      return ts.createSourceFile(name, block.code, languageVersion);
    },
  };
}

function errorsIn(program: ts.Program, name: string, { document }: CodeBlock): string[] {
  const source = program.getSourceFile(name);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    (error) => {
      const line = source?.getLineAndCharacterOfPosition(error.start ?? 0).line ?? 0;
      return `${document}:${line + 1} ${ts.flattenDiagnosticMessageText(error.messageText, '\n')}`;
    },
  );
}
