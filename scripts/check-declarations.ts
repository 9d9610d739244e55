/**
 * Reads the built declarations the way a user's compiler does and refuses what would hurt there: a type of a bundled
 * package (CommonJS users could not resolve it), an `any`, a public name or field without its doc comment.
 */
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { entryPoints, readManifest } from './entry-points.js';
import { filesIn } from './files.js';

/** What the declarations of an entry point may import beside their siblings; everywhere else nothing but zod. */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'testing/msw': ['msw'],
  'bullmq/index': ['bullmq', 'ioredis'],
  'redis/index': ['ioredis'],
};

const entries = Object.keys(entryPoints(readManifest())).filter((name) => name !== 'cli/index');
const files = [...filesIn('dist', '.d.ts'), ...filesIn('dist', '.d.cts')];
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  noEmit: true,
  types: [],
});
const checker = program.getTypeChecker();
const sources = files.map((file) => program.getSourceFile(file)).filter((source) => source !== undefined);

const problems = new Set([
  ...entries.flatMap(foreignImports),
  ...sources.flatMap(explicitAnys),
  ...entries.flatMap(undocumentedNames),
]);
for (const problem of problems) console.error(problem);
if (problems.size > 0) process.exit(1);
console.log(`${files.length} declaration files, ${entries.length} entry points: no problems`);

/** A file that several entry points share may import only what all of them may. */
function foreignImports(entry: string): string[] {
  const allowed = ['zod/mini', 'zod/v4/core', ...(ALLOWED_IMPORTS[entry] ?? [])];
  return ['.d.ts', '.d.cts']
    .flatMap((suffix) => reachableFrom(`dist/${entry}${suffix}`))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ fileName }) => !fileName.startsWith('.') && !allowed.includes(fileName))
        .map(({ fileName, pos }) => `${place(source, pos)} imports types of '${fileName}', for ${entry} too`),
    );
}

/** A declaration file, and those that it imports, directly or not. */
function reachableFrom(file: string, found = new Set<ts.SourceFile>()): ts.SourceFile[] {
  const source = program.getSourceFile(file);
  if (source === undefined || found.has(source)) return [];
  found.add(source);
  for (const { fileName } of importsOf(source).filter((imported) => imported.fileName.startsWith('.'))) {
    const sibling = join(dirname(file), fileName);
    reachableFrom(sibling.replace(/\.(c?)js$/, '.d.$1ts'), found);
  }
  return [...found];
}

function importsOf({ text }: ts.SourceFile): readonly ts.FileReference[] {
  return ts.preProcessFile(text).importedFiles;
}

function explicitAnys(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(`${place(source, node.getStart())} says any`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function undocumentedNames(entry: string): string[] {
  const source = program.getSourceFile(`dist/${entry}.d.ts`);
  const exported = source && checker.getSymbolAtLocation(source);
  if (exported === undefined) return [`dist/${entry}.d.ts exports nothing`];
  return checker.getExportsOfModule(exported).flatMap((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return [target, ...ownMembers(target)].filter(lacksComment).map((name) => undocumented(name, target));
  });
}

/** The fields and methods that an exported class or interface declares itself. */
function ownMembers(symbol: ts.Symbol): ts.Symbol[] {
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  if ((symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) === 0) return [];
  return [...(type.symbol.members?.values() ?? [])].filter(isReadable);
}

function isReadable(member: ts.Symbol): boolean {
  const kinds = ts.SymbolFlags.Property | ts.SymbolFlags.Method | ts.SymbolFlags.Accessor;
  const isPrivate = member.declarations?.some((declaration) =>
    ts.canHaveModifiers(declaration)
      ? ts.getModifiers(declaration)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
      : false,
  );
  return (member.flags & kinds) !== 0 && isPrivate !== true && !/^(__|#|~)/.test(member.name);
}

function lacksComment(symbol: ts.Symbol): boolean {
  const isOverride = symbol.declarations?.some((declaration) => ts.getJSDocTags(declaration).length > 0);
  return symbol.getDocumentationComment(checker).length === 0 && isOverride !== true;
}

function undocumented(symbol: ts.Symbol, owner: ts.Symbol): string {
  const name = symbol === owner ? owner.name : `${owner.name}.${symbol.name}`;
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined) return `${name} has no doc comment`;
  return `${place(declaration.getSourceFile(), declaration.getStart())} ${name} has no doc comment`;
}

function place(source: ts.SourceFile, position: number): string {
  const { line } = source.getLineAndCharacterOfPosition(position);
  return `${relative(resolve('.'), source.fileName)}:${line + 1}`;
}
