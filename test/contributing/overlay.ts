import ts from 'typescript';
import { root } from '../docs/all-blocks.js';
import { type Edit, edited } from './change.js';

/** What stands behind the package's names and its generated document. */
const ENTRY_POINTS = ['src/index.ts', 'src/testing/index.ts', 'scripts/openapi/document.ts'];

/** What is parsed once for all. */
const unchanged = new Map<string, ts.SourceFile | undefined>();

/** Type-checks one file of the project as if these edits were made. Returns what the compiler says of it. */
export function errorsIn(file: string, edits: readonly Edit[]): string[] {
  const files = textsAfter(edits);
  const options = projectOptions();
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.getSourceFile = (name, version) => {
    const text = files.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, version);
    const parsed = unchanged.get(name) ?? getSourceFile(name, version);
    unchanged.set(name, parsed);
    return parsed;
  };
  const names = [...ENTRY_POINTS, file].map((name) => `${root}/${name}`);
  const program = ts.createProgram(names, options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(`${root}/${file}`))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

function textsAfter(edits: readonly Edit[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const edit of edits) {
    const name = `${root}/${edit.file}`;
    files.set(name, edited(edit, files.get(name) ?? ts.sys.readFile(name)));
  }
  return files;
}

function projectOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}
