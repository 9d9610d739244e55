import {
  type Application,
  Comment,
  type CommentDisplayPart,
  CommentTag,
  type Context,
  Converter,
  type DeclarationReflection,
  IndexEvent,
  type ProjectReflection,
  ReferenceType,
  ReflectionKind,
} from 'typedoc';

/** The concept of a file: the first pattern that fits its path below `src/`. */
const FILES: readonly (readonly [concept: string, files: RegExp])[] = [
  ['Resources', /^client\/(resources\/|api-promise)/],
  ['Platform', /^(client|ground)\//],
  ['Endpoints', /^endpoints\//],
  ['Schemas', /^(schemas|validation)\//],
  ['Errors', /^errors\//],
  ['Events', /^webhooks\/(events|delivery)\.ts$/],
  ['Receiver', /^(webhooks|redis|bullmq)\//],
  ['Fake', /^testing\//],
];

/** The eight concepts, in the order in which they are met. */
export const CONCEPTS: readonly string[] = [
  'Platform',
  ...FILES.map(([concept]) => concept).filter((concept) => concept !== 'Platform'),
];

/** Changes to what typedoc would show by itself. */
export function adapt(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    nameModulesAndGuides(project);
    sortByConcept(project);
    hideOwnConstructors(project);
    shortenSchemas(project);
    linkThrownErrors(project);
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }: Context) => {
    if (project.readme !== undefined) project.readme = withoutForeignLinks(project.readme);
    for (const guide of project.documents ?? []) guide.content = withoutForeignLinks(guide.content);
  });
  app.renderer.on(IndexEvent.PREPARE_INDEX, findMethodsAsTheyAreCalled);
}

const classesOf = (project: ProjectReflection) =>
  // A class is a declaration.
  project.getReflectionsByKind(ReflectionKind.Class) as DeclarationReflection[];

/** An entry point is named as it is imported; a guide by its heading, so that it needs no front matter, which other viewers show. */
function nameModulesAndGuides({ children = [], documents = [] }: ProjectReflection): void {
  for (const module of children) {
    module.name = `agent-platform-sdk/${module.name}`.replace(/\/index$/, '');
  }
  for (const guide of documents) {
    guide.name = /^# (.+)$/m.exec(guide.content[0]?.text ?? '')?.[1] ?? guide.name;
  }
}

/** Gives every public name the concept of the file that declares it. */
function sortByConcept(project: ProjectReflection): void {
  for (const name of (project.children ?? []).flatMap(({ children = [] }) => children)) {
    const path = project.getSymbolIdFromReflection(name)?.packagePath ?? '';
    const concept = FILES.find(([, files]) => files.test(path.replace(/^src\//, '')))?.[0];
    if (concept === undefined) throw new Error(`${name.name} of ${path} belongs to no concept`);
    name.comment ??= new Comment();
    name.comment.blockTags.push(new CommentTag('@category', [{ kind: 'text', text: concept }]));
  }
}

/** Leaves out the constructors of what the client makes, and those whose comment says what to use instead. */
function hideOwnConstructors(project: ProjectReflection): void {
  for (const { name, children = [] } of classesOf(project)) {
    const found = children.find((member) => member.kindOf(ReflectionKind.Constructor));
    const text = found?.signatures?.[0]?.comment?.summary[0]?.text ?? '';
    const isOwn = /(Resource|^ApiPromise)$/.test(name) || text.startsWith('Use ');
    if (found !== undefined && isOwn) project.removeReflection(found);
  }
}

/**
 * Shows `ToolSchema` as a schema of `Tool`: what the compiler infers repeats every field, as Zod has made it and without a
 * word of documentation.
 */
function shortenSchemas(project: ProjectReflection): void {
  // A variable is a declaration.
  const variables = project.getReflectionsByKind(ReflectionKind.Variable) as DeclarationReflection[];
  for (const schema of variables.filter(({ name }) => name.endsWith('Schema'))) {
    const record = schema.parent?.getChildByName([schema.name.replace(/Schema$/, '')]);
    if (schema.type === undefined || record === undefined) continue;
    project.removeTypeReflections(schema.type);
    const shown = ReferenceType.createBrokenReference('ZodMiniType', project, 'zod');
    shown.typeArguments = [ReferenceType.createResolvedReference(record.name, record, project)];
    schema.type = shown;
  }
}

/** Shows which error `@throws {NotFoundError}` means, with a link to it where it has a page here. */
function linkThrownErrors(project: ProjectReflection): void {
  const tags = Object.values(project.reflections).flatMap(({ comment }) => comment?.getTags('@throws') ?? []);
  for (const tag of tags) {
    const name = /^\{?(\w+)\}?$/.exec(tag.typeAnnotation ?? '')?.[1];
    if (name === undefined) continue;
    const target = classesOf(project).find((each) => each.name === name);
    const link: CommentDisplayPart = target
      ? { kind: 'inline-tag', tag: '@link', text: name, target }
      : { kind: 'code', text: `\`${name}\`` };
    delete tag.typeAnnotation;
    tag.content.unshift(link, { kind: 'text', text: ': ' });
  }
}

/**
 * Takes the links out that lead to files of the repository: the site holds the guides and the pictures.
 * `[label](` is the end of one part, the address is the next, and `)` begins the one after it.
 */
function withoutForeignLinks(parts: readonly CommentDisplayPart[]): CommentDisplayPart[] {
  const kept = parts.map((part) => ({ ...part }));
  kept.forEach((part, at) => {
    const [before, after] = [kept[at - 1], kept[at + 1]];
    const isOfTheSite = /^(docs\/guides\/)?[a-z-]+\.md|\.(svg|png)$/.test(part.text);
    if (part.kind !== 'relative-link' || isOfTheSite || !before || !after) return;
    before.text = before.text.replace(/\[([^[\]]*)\]\($/, '$1');
    part.text = '';
    after.text = after.text.replace(/^\)/, '');
  });
  return kept.filter((part) => part.text !== '');
}

/** Lets the search find `conversations.get` as it is written in a program: the class is `ConversationsResource`. */
function findMethodsAsTheyAreCalled(event: IndexEvent): void {
  // Heavier than a name, so that what was asked for by its whole name comes first.
  event.searchFieldWeights.call = 100;
  event.searchResults.forEach(({ name, parent, project }, row) => {
    const client = classesOf(project).find((each) => each.name === 'AgentPlatform');
    const resource = client?.children?.find(
      ({ type }) => type?.type === 'reference' && type.name === parent?.name,
    );
    if (resource !== undefined) event.searchFields[row] = { call: `${resource.name}.${name}` };
  });
}
