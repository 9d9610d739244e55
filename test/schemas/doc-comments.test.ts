import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import type { RecordName } from './document-table.js';
import { rows } from './records.js';

const source = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
const program = ts.createProgram([source], {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  types: [],
});
const checker = program.getTypeChecker();
const interfaces = new Map(
  exportedSymbols().map((symbol) => [symbol.name, checker.getDeclaredTypeOfSymbol(symbol)]),
);

function exportedSymbols(): ts.Symbol[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(source) as ts.SourceFile) as ts.Symbol;
  return checker.getExportsOfModule(module).map(declared);
}

function declared(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** What an editor shows for a field of an interface, its tags included. */
function documentation(record: RecordName, field: string): string {
  const property = interfaces.get(record)?.getProperty(field);
  const tags = property?.getJsDocTags(checker).map((tag) => ts.displayPartsToString(tag.text)) ?? [];
  return [ts.displayPartsToString(property?.getDocumentationComment(checker)), ...tags].join(' ').trim();
}

test.each(rows)('$name carries its meaning', ({ record, field }) => {
  expect(documentation(record, field)).toMatch(/\w+.*\.$/s);
});

const times = rows.filter(
  ({ field, type }) => type === 'number' && /(At|TS|Ts|^ts|UNIX|Modified|Viewed|Evaluated)$/.test(field),
);

test.each(times)('$name is a timestamp without a documented unit', ({ record, field }) => {
  expect(documentation(record, field)).toMatch(/timestamp.*unit (are )?not documented/is);
});

const secrets = rows.filter(({ field }) =>
  /^(dashboardPassword|magicCode|usedSecret|FB_PUSH_TOKEN|serverUrlSecret|sessionKey|listenUrl)$/.test(field),
);

test.each(secrets)('$name is called a secret', ({ record, field }) => {
  expect(documentation(record, field)).toMatch(/secret/i);
});
