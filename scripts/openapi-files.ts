import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { createOpenApi, type Describe } from './openapi/document.js';

/** The text of openapi.json: the doc comments of the interfaces become its descriptions. */
export function openApiText(): string {
  return `${JSON.stringify(createOpenApi(docComments('src/index.ts')), null, 2)}\n`;
}

/** What openapi-typescript makes of a document. */
export async function generatedTypes(document: string): Promise<string> {
  const header = '// Made by openapi-typescript from openapi.json: `npm run openapi` writes it.\n';
  return header + astToString(await openapiTS(document));
}

/** Looks up the doc comments of the interfaces that a module exports. */
function docComments(file: string): Describe {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    // Comments alone are read: the types of the libraries would only take time.
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} exports nothing`);
  const symbols = new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol]));
  return (schema, field) => {
    const exported = symbols.get(schema);
    if (exported === undefined) return {};
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const described =
      field === undefined ? symbol : checker.getDeclaredTypeOfSymbol(symbol).getProperty(field);
    return described === undefined ? {} : annotations(described, checker);
  };
}

function annotations(
  symbol: ts.Symbol,
  checker: ts.TypeChecker,
): { description?: string; deprecated?: true } {
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === 'deprecated');
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const description = plain([comment, ts.displayPartsToString(tag?.text)].join(' '));
  return { ...(description !== '' && { description }), ...(tag !== undefined && { deprecated: true }) };
}

/** Links become code, lines are joined, and what only this package does is left out. */
function plain(comment: string): string {
  return comment
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll(/:? `redact\(\)` masks (it|them)/g, '')
    .replaceAll(/(?<!\n)\n(?![\n-])/g, ' ')
    .trim();
}
