import ts from 'typescript';

/** Texts of the doc comments, in Markdown. */
export interface Words {
  /** The groups of operations: one for each resource. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Text of an operation. */
  operation(key: string): OperationWords;
  /** Text of a record, or of a field of it. */
  record(name: string, field?: string): RecordWords;
}

export interface OperationWords {
  /** The name of its resource. */
  readonly tag: string;
  /** In a few words, from its declaration in `endpoints`. */
  readonly summary: string;
  /** In full, from the method that calls it. What only concerns this package is in `@remarks` there. */
  readonly description: string;
  /** The statuses that the specification shows, with what is known of each: from `@status` in `endpoints`. */
  readonly statuses: ReadonlyMap<string, string>;
  /** Text of a parameter of the path. */
  parameter(name: string): string;
}

export interface RecordWords {
  readonly description?: string;
  readonly deprecated?: true;
  /** The values that an open list completes: those of its `OpenEnum`. */
  readonly examples?: readonly string[];
}

/** Reads the doc comments of what a module exports. */
export function readWords(file: string): Words {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    // Comments and names alone are read: the types of the libraries would only take time.
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} exports nothing`);
  const symbols = new Map(
    checker.getExportsOfModule(module).map((symbol) => {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
      return [symbol.name, isAlias ? checker.getAliasedSymbol(symbol) : symbol];
    }),
  );
  const resources = [...symbols.values()].filter(({ name }) => name.endsWith('Resource'));
  return {
    tags: resources.map((resource) => tagOf(resource, checker)),
    operation: (key) => wordsOfOperation(key, symbols.get('endpoints'), resources, checker),
    record: (name, field) => wordsOfRecord(symbols.get(name), field, checker),
  };
}

/** `Tools: capabilities that an agent can call.` names the group, then describes it. */
function tagOf(resource: ts.Symbol, checker: ts.TypeChecker) {
  const [name = '', ...rest] = comment(resource, checker).split(': ');
  const description = rest.join(': ');
  return { name, description: description.charAt(0).toUpperCase() + description.slice(1) };
}

function wordsOfOperation(
  key: string,
  endpoints: ts.Symbol | undefined,
  resources: readonly ts.Symbol[],
  checker: ts.TypeChecker,
): OperationWords {
  const declared = endpoints && checker.getTypeOfSymbol(endpoints).getProperty(key);
  const found = resources.flatMap((resource) =>
    [...(resource.members?.values() ?? [])]
      .filter(({ valueDeclaration }) => valueDeclaration?.getText().includes(`(endpoints.${key},`))
      .map((method) => ({ resource, method })),
  );
  const [call] = found;
  if (declared === undefined || call === undefined) throw new Error(`no resource calls endpoints.${key}`);
  const statuses = declared
    .getJsDocTags(checker)
    .filter(({ name }) => name === 'status')
    .map(({ text }) => ts.displayPartsToString(text).split(' - ') as [string, string]);
  return {
    tag: tagOf(call.resource, checker).name,
    // Without the section, which the description names too.
    summary: comment(declared, checker).replace(/( \([^)]*\))?\.$/, ''),
    description: comment(call.method, checker),
    statuses: new Map(statuses),
    parameter: (name) => wordsOfParameter(name, call.method, checker),
  };
}

/** By its name, as a parameter of the method or as a field of one. A parameter called otherwise there is the first. */
function wordsOfParameter(name: string, { valueDeclaration }: ts.Symbol, checker: ts.TypeChecker): string {
  const { parameters } = valueDeclaration as ts.MethodDeclaration;
  const symbols = parameters.map((parameter) => checker.getSymbolAtLocation(parameter.name));
  const fields = parameters.map((parameter) => checker.getTypeAtLocation(parameter).getProperty(name));
  const [first] = symbols;
  const symbol = symbols.find((each) => each?.name === name) ?? fields.find((field) => field) ?? first;
  return symbol === undefined ? '' : comment(symbol, checker);
}

function wordsOfRecord(
  record: ts.Symbol | undefined,
  field: string | undefined,
  checker: ts.TypeChecker,
): RecordWords {
  if (record === undefined) return {};
  const symbol = field === undefined ? record : checker.getDeclaredTypeOfSymbol(record).getProperty(field);
  if (symbol === undefined) return {};
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === 'deprecated');
  const description = [comment(symbol, checker), ts.displayPartsToString(tag?.text)].join(' ').trim();
  const examples = openValues(symbol.declarations?.find(ts.isPropertySignature)?.type);
  return {
    ...(description !== '' && { description }),
    ...(tag !== undefined && { deprecated: true }),
    ...(examples.length > 0 && { examples }),
  };
}

/** The values in an `OpenEnum<'a' | 'b'>`, at any place in a type. */
function openValues(type: ts.Node | undefined): string[] {
  if (type === undefined) return [];
  const isOpen = ts.isTypeReferenceNode(type) && type.typeName.getText() === 'OpenEnum';
  if (isOpen) return literals(type);
  return type.getChildren().flatMap(openValues);
}

function literals(node: ts.Node): string[] {
  return ts.isStringLiteral(node) ? [node.text] : node.getChildren().flatMap(literals);
}

/**
 * A doc comment up to its first tag. Links become code, lines are joined, and what only this package does is left
 * out.
 */
function comment(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return (
    ts
      .displayPartsToString(symbol.getDocumentationComment(checker))
      .replaceAll(/\{@link (\w+)\}/g, '`$1`')
      .replaceAll(/:? `redact\(\)` masks it/g, '')
      .replaceAll(' Expected, not required.', '')
      .replaceAll(/(?<!\n)\n(?![\n-])/g, ' ')
      // Of a parameter, it begins behind the name.
      .replace(/^- /, '')
      .trim()
  );
}
