import ts from 'typescript';

// Read are the doc comments of exported interfaces and their fields, of `endpoints`, and of the classes with
// `@group` and their methods: the text up to the first tag, and the tags that are named below. What concerns
// only this package is in `@remarks`, which is not read.

/** The words of openapi.json, in Markdown. */
export interface Words {
  /** The groups of operations: the name is in `@group`, on the class of a resource. */
  readonly groups: readonly { readonly name: string; readonly description: string }[];
  /** Words of an operation. */
  operation(key: string): OperationWords;
  /** Words of an exported interface, or of one of its fields. */
  record(name: string, field?: string): RecordWords;
}

export interface OperationWords {
  /** The name of its group. */
  readonly group: string;
  /** One sentence, from its declaration in `endpoints`. */
  readonly summary: string;
  /** In full, from the method that sends it. */
  readonly description: string;
  /** The statuses that the specification shows, with their descriptions: `@status` in `endpoints`. */
  readonly statuses: ReadonlyMap<string, string>;
  /** From `@undocumented`: the service offers the operation, and the specification does not show it. */
  readonly undocumented: boolean;
  /** Description of a path parameter, from what the method passes for it. */
  parameter(name: string): string;
}

export interface RecordWords {
  readonly description?: string;
  /** From `@deprecated`, whose text is part of the description. */
  readonly deprecated?: true;
  /** The values of an `OpenEnum`. */
  readonly examples?: readonly string[];
  /** From `@choice`: the field is required, although the specification does not say so. */
  readonly 'x-choice'?: true;
  /** From `@undocumented`: the service has it, although the specification does not show it. */
  readonly 'x-undocumented'?: true;
}

/** Reads the doc comments of what a module exports. */
export function readWords(file: string): Words {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    // Only comments and names are read: the types of libraries would take time.
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const exported = exportsOf(file, program, checker);
  const resources = [...exported.values()].filter((symbol) => tagOf(symbol, 'group') !== undefined);
  return {
    groups: resources.map((resource) => ({ name: groupOf(resource), description: textOf(resource) })),
    operation: (key) => wordsOfOperation(key, exported.get('endpoints'), resources, checker),
    record: (name, field) => wordsOfRecord(name, field, exported, checker),
  };
}

function exportsOf(file: string, program: ts.Program, checker: ts.TypeChecker): Map<string, ts.Symbol> {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} exports nothing`);
  return new Map(
    checker.getExportsOfModule(module).map((symbol) => [symbol.name, declaredSymbol(symbol, checker)]),
  );
}

/** What an imported or exported name stands for. */
function declaredSymbol(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function wordsOfOperation(
  key: string,
  endpoints: ts.Symbol | undefined,
  resources: readonly ts.Symbol[],
  checker: ts.TypeChecker,
): OperationWords {
  const declared = endpoints && checker.getTypeOfSymbol(endpoints).getProperty(key);
  if (declared === undefined) throw new Error(`endpoints.${key} is not exported`);
  const [found] = resources.flatMap((resource) =>
    [...(resource.members?.values() ?? [])].flatMap((method) => {
      const call = method.valueDeclaration && callWith(declared, method.valueDeclaration, checker);
      return call === undefined ? [] : [{ resource, method, call }];
    }),
  );
  if (found === undefined) throw new Error(`no method of a class with @group sends endpoints.${key}`);
  return {
    group: groupOf(found.resource),
    summary: textOf(declared),
    description: textOf(found.method),
    statuses: statusesOf(declared),
    undocumented: tagOf(declared, 'undocumented') !== undefined,
    parameter: (name) => wordsOfParameter(name, found.call, checker),
  };
}

/** The call in a node that passes an endpoint: `this.#send(endpoints.getTool, …)`. */
function callWith(
  endpoint: ts.Symbol,
  node: ts.Node,
  checker: ts.TypeChecker,
): ts.CallExpression | undefined {
  const isEndpoint = (argument: ts.Expression) => checker.getSymbolAtLocation(argument) === endpoint;
  if (ts.isCallExpression(node) && node.arguments.some(isEndpoint)) return node;
  return ts.forEachChild(node, (child) => callWith(endpoint, child, checker));
}

/** Words of what is passed for a path parameter in `this.#send(endpoint, { path }, options)`. */
function wordsOfParameter(name: string, call: ts.CallExpression, checker: ts.TypeChecker): string {
  // The object with the ids: `{ path: { toolId } }`.
  const input = call.arguments.find((argument) => ts.isObjectLiteralExpression(argument));
  const path = input && checker.getTypeAtLocation(input).getProperty('path');
  const passed = path && checker.getTypeOfSymbol(path).getProperty(name);
  const value = passed && valueOf(passed, checker);
  if (value === undefined) throw new Error(`no doc comment describes the path parameter ${name}`);
  return textOf(value);
}

/**
 * The variable that a property of an object literal takes its value from. Other properties stand for
 * themselves.
 */
function valueOf(property: ts.Symbol, checker: ts.TypeChecker): ts.Symbol | undefined {
  const declaration = property.valueDeclaration;
  if (declaration === undefined) return property;
  if (ts.isShorthandPropertyAssignment(declaration)) {
    return checker.getShorthandAssignmentValueSymbol(declaration);
  }
  return ts.isPropertyAssignment(declaration)
    ? checker.getSymbolAtLocation(declaration.initializer)
    : property;
}

function wordsOfRecord(
  name: string,
  field: string | undefined,
  exported: ReadonlyMap<string, ts.Symbol>,
  checker: ts.TypeChecker,
): RecordWords {
  const record = exported.get(name);
  const isField = record !== undefined && field !== undefined;
  const symbol = isField ? checker.getDeclaredTypeOfSymbol(record).getProperty(field) : record;
  if (symbol === undefined) return {};
  const deprecated = tagOf(symbol, 'deprecated');
  const description = [textOf(symbol), deprecated].filter(Boolean).join(' ');
  const type = symbol.declarations?.find(ts.isPropertySignature)?.type;
  const examples = type === undefined ? [] : valuesIn(type, exported.get('OpenEnum'), checker);
  return {
    ...(description !== '' && { description }),
    ...(deprecated !== undefined && { deprecated: true }),
    ...(examples.length > 0 && { examples }),
    ...(tagOf(symbol, 'choice') !== undefined && { 'x-choice': true }),
    ...(tagOf(symbol, 'undocumented') !== undefined && { 'x-undocumented': true }),
  };
}

/** The values of an `OpenEnum<'a' | 'b'>` anywhere in a type, or of a type that is named for one. */
function valuesIn(type: ts.Node, openEnum: ts.Symbol | undefined, checker: ts.TypeChecker): string[] {
  const named = ts.isTypeReferenceNode(type) ? symbolAt(type.typeName, checker) : undefined;
  if (named !== undefined && named === openEnum) return literalsIn(type, checker);
  const alias = named?.declarations?.find(ts.isTypeAliasDeclaration)?.type;
  const parts = alias === undefined ? type.getChildren() : [alias];
  return parts.flatMap((part) => valuesIn(part, openEnum, checker));
}

/** The texts in a node, and in the constants whose type it takes: `(typeof values)[number]`. */
function literalsIn(node: ts.Node, checker: ts.TypeChecker): string[] {
  if (ts.isStringLiteral(node)) return [node.text];
  const constant = ts.isTypeQueryNode(node) ? symbolAt(node.exprName, checker)?.valueDeclaration : undefined;
  const parts = constant === undefined ? node.getChildren() : [constant];
  return parts.flatMap((part) => literalsIn(part, checker));
}

/** What a name in a type stands for, wherever it is imported from. */
function symbolAt(name: ts.Node, checker: ts.TypeChecker): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(name);
  return symbol && declaredSymbol(symbol, checker);
}

function groupOf(resource: ts.Symbol): string {
  return tagOf(resource, 'group') ?? '';
}

/** From lines such as `@status 400 - A duplicate key returns this error.` */
function statusesOf(endpoint: ts.Symbol): Map<string, string> {
  const tags = endpoint.getJsDocTags().filter(({ name }) => name === 'status');
  return new Map(
    tags.map(({ text }) => {
      const [status = '', ...description] = markdown(text).split(HYPHEN);
      return [status, description.join(HYPHEN)];
    }),
  );
}

/** TSDoc's separator of a name and its description: https://tsdoc.org/pages/tags/param/. */
const HYPHEN = ' - ';

/** Text of a tag; undefined if the comment has no such tag. */
function tagOf(symbol: ts.Symbol, tag: string): string | undefined {
  const found = symbol.getJsDocTags().find(({ name }) => name === tag);
  return found && markdown(found.text);
}

/** Text of a doc comment up to its first tag; of a parameter, that of its `@param`. */
function textOf(symbol: ts.Symbol): string {
  const text = markdown(symbol.getDocumentationComment(undefined));
  // Of `@param name - text`, TypeScript 5.9 returns `- text`.
  return text.startsWith('- ') ? text.slice(2) : text;
}

/** Links become code, and wrapped lines one line. */
function markdown(parts: readonly ts.SymbolDisplayPart[] = []): string {
  const text = parts.map((part) => {
    if (part.kind === 'link') return '';
    return part.kind.startsWith('link') ? `\`${part.text}\`` : part.text;
  });
  return text
    .join('')
    .replaceAll(/(?<!\n)\n(?!\n|- ) */g, ' ')
    .trim();
}
