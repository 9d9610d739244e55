import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { filesIn } from './files.js';

/**
 * Marks every call that runs while a module loads, and only makes a value, as `@__PURE__`. Bundlers then drop what a
 * user does not import. The functions say so themselves (`@__NO_SIDE_EFFECTS__`), but esbuild believes that inside one
 * file only, and webpack not at all, while dist is split into chunks.
 */
export function markPureCalls(directory: string): void {
  const modules = new Map(filesIn(directory, '.js').map((file) => [file, parse(file)]));
  for (const [file, source] of modules) {
    const pure = new Set([...pureFunctions(source), ...pureImports(file, source, modules)]);
    const positions = loadTimeCalls(source).filter(({ expression }) => pure.has(expression.getText()));
    if (positions.length > 0) writeFileSync(file, withMarks(source.text, positions));
  }
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
}

function pureFunctions(source: ts.SourceFile): string[] {
  return source.statements
    .filter(ts.isFunctionDeclaration)
    .filter((declaration) => leadingComment(source, declaration).includes('@__NO_SIDE_EFFECTS__'))
    .flatMap(({ name }) => name?.text ?? []);
}

/** The names under which a module exports its pure functions. */
function pureExports(source: ts.SourceFile): string[] {
  const pure = pureFunctions(source);
  return source.statements
    .filter(ts.isExportDeclaration)
    .flatMap(({ exportClause }) =>
      exportClause && ts.isNamedExports(exportClause) ? [...exportClause.elements] : [],
    )
    .filter(({ name, propertyName }) => pure.includes((propertyName ?? name).text))
    .map(({ name }) => name.text);
}

/** The local names of what a module imports from siblings that declare it pure. */
function pureImports(
  file: string,
  source: ts.SourceFile,
  modules: ReadonlyMap<string, ts.SourceFile>,
): string[] {
  return source.statements.filter(ts.isImportDeclaration).flatMap(({ importClause, moduleSpecifier }) => {
    const sibling = modules.get(join(dirname(file), (moduleSpecifier as ts.StringLiteral).text));
    const bindings = importClause?.namedBindings;
    if (sibling === undefined || bindings === undefined || !ts.isNamedImports(bindings)) return [];
    const pure = pureExports(sibling);
    return bindings.elements
      .filter(({ name, propertyName }) => pure.includes((propertyName ?? name).text))
      .map(({ name }) => name.text);
  });
}

/** The calls outside every function body. */
function loadTimeCalls(source: ts.SourceFile): ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) calls.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return calls;
}

function leadingComment(source: ts.SourceFile, node: ts.Node): string {
  return source.text.slice(node.getFullStart(), node.getStart());
}

function withMarks(text: string, calls: readonly ts.CallExpression[]): string {
  const starts = calls.map((call) => call.getStart()).sort((a, b) => b - a);
  return starts.reduce((marked, at) => {
    const before = marked.slice(0, at);
    return before.endsWith('/* @__PURE__ */ ') ? marked : `${before}/* @__PURE__ */ ${marked.slice(at)}`;
  }, text);
}
