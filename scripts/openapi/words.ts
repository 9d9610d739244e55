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
  /** Description of a path parameter, from that of the method. */
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
  /** Returns the declaration of a name, wherever it is imported from. */
  const symbolAt = (node: ts.Node | undefined) => declared(node && checker.getSymbolAtLocation(node));
  const declared = (symbol: ts.Symbol | undefined) =>
    symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

  const module = symbolAt(program.getSourceFile(file));
  if (module === undefined) throw new Error(`${file} exports nothing`);
  const exported = new Map(
    checker.getExportsOfModule(module).map((symbol) => [symbol.name, declared(symbol)]),
  );
  const resources = [...exported.values()].filter((symbol) => symbol && hasTag(symbol, 'group'));
  const methods = resources.flatMap((resource) =>
    [...(resource?.members?.values() ?? [])].map((method) => {
      const declaration = method.valueDeclaration;
      const isMethod = declaration !== undefined && ts.isMethodDeclaration(declaration);
      return { group: textOfTag(resource, 'group'), method, declaration: isMethod ? declaration : undefined };
    }),
  );

  function operation(key: string): OperationWords {
    const endpoints = exported.get('endpoints');
    const endpoint = endpoints && checker.getTypeOfSymbol(endpoints).getProperty(key);
    if (endpoint === undefined) throw new Error(`endpoints.${key} is not exported`);
    const sends = new RegExp(`\\bendpoints\\.${key}\\b(.*)`, 's');
    const found = methods.find(({ declaration }) => sends.test(declaration?.getText() ?? ''));
    if (found === undefined) throw new Error(`no method of a class with @group sends endpoints.${key}`);
    const { group, method, declaration } = found;
    return {
      group,
      summary: textOf(endpoint),
      description: textOf(method),
      statuses: statusesOf(endpoint),
      undocumented: hasTag(endpoint, 'undocumented'),
      parameter: (name) => {
        // `send(endpoints.deleteWorkspace, { path: { id: workspaceId } })`: it is passed under another name.
        const [, input = ''] = sends.exec(declaration?.getText() ?? '') ?? [];
        const [, passed = name] = new RegExp(`\\b${name}: (\\w+)`).exec(input) ?? [];
        const parameters = declaration?.parameters.map((parameter) => symbolAt(parameter.name)) ?? [];
        // Or it is a field of a parameter.
        const fields = parameters.map(
          (symbol) => symbol && checker.getTypeOfSymbol(symbol).getProperty(passed),
        );
        const described = [...parameters, ...fields].find((symbol) => symbol?.name === passed);
        if (described === undefined) throw new Error(`no doc comment describes the path parameter ${name}`);
        return textOf(described);
      },
    };
  }

  function record(name: string, field?: string): RecordWords {
    const found = exported.get(name);
    const isField = found !== undefined && field !== undefined;
    const symbol = isField ? checker.getDeclaredTypeOfSymbol(found).getProperty(field) : found;
    if (symbol === undefined) return {};
    const description = [textOf(symbol), textOfTag(symbol, 'deprecated')].filter(Boolean).join(' ');
    const type = symbol.declarations?.find(ts.isPropertySignature)?.type;
    const examples = type === undefined ? [] : valuesIn(type);
    return {
      ...(description !== '' && { description }),
      ...(hasTag(symbol, 'deprecated') && { deprecated: true }),
      ...(examples.length > 0 && { examples }),
      ...(hasTag(symbol, 'choice') && { 'x-choice': true }),
      ...(hasTag(symbol, 'undocumented') && { 'x-undocumented': true }),
    };
  }

  /** The values of an `OpenEnum<'a' | 'b'>` in a type, of a type that is named for one, or of `typeof` constants. */
  function valuesIn(node: ts.Node, isOpen = false): string[] {
    if (ts.isStringLiteral(node)) return isOpen ? [node.text] : [];
    const named = ts.isTypeReferenceNode(node) ? symbolAt(node.typeName) : undefined;
    const constant = ts.isTypeQueryNode(node) ? symbolAt(node.exprName)?.valueDeclaration : undefined;
    const isEnum = named !== undefined && named === exported.get('OpenEnum');
    const alias = isEnum ? undefined : named?.declarations?.find(ts.isTypeAliasDeclaration)?.type;
    const inside = constant ?? alias;
    return (inside ? [inside] : node.getChildren()).flatMap((part) => valuesIn(part, isOpen || isEnum));
  }

  const groups = resources.flatMap((resource) =>
    resource ? [{ name: textOfTag(resource, 'group'), description: textOf(resource) }] : [],
  );
  return { groups, operation, record };
}

/** From lines such as `@status 400 - A duplicate key returns this error.` */
function statusesOf(endpoint: ts.Symbol): Map<string, string> {
  const tags = endpoint.getJsDocTags().filter(({ name }) => name === 'status');
  return new Map(
    tags.map(({ text }) => {
      // TSDoc's separator of a name and its description: https://tsdoc.org/pages/tags/param/.
      const [status = '', ...description] = markdown(text).split(' - ');
      return [status, description.join(' - ')];
    }),
  );
}

function hasTag(symbol: ts.Symbol, tag: string): boolean {
  return symbol.getJsDocTags().some(({ name }) => name === tag);
}

function textOfTag(symbol: ts.Symbol | undefined, tag: string): string {
  return markdown(symbol?.getJsDocTags().find(({ name }) => name === tag)?.text);
}

/** Text of a doc comment up to its first tag; of a parameter, that of its `@param`. */
function textOf(symbol: ts.Symbol): string {
  // Of `@param name - text`, TypeScript 5.9 returns `- text`.
  return markdown(symbol.getDocumentationComment(undefined)).replace(/^- /, '');
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
