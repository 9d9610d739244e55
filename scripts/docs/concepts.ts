import {
  type Application,
  Comment,
  CommentTag,
  type Context,
  Converter,
  type DeclarationReflection,
} from 'typedoc';

/** Which concept a file belongs to: the first pattern that fits its path below `src/`. */
const FILES: readonly (readonly [concept: string, files: RegExp])[] = [
  ['Platform', /^(platform|options|hooks|logger|regions|redact|version)\.ts$/],
  ['Resources', /^(resources\/|api-promise\.ts$)/],
  ['Endpoints', /^(endpoints?|response-shape)\.ts$/],
  ['Schemas', /^(schemas\/|(validation|issues|standard-schema)\.ts$)/],
  ['Errors', /^errors(\.ts$|\/)/],
  ['Events', /^webhooks\/(events|delivery)\.ts$/],
  ['Receiver', /^(webhooks|redis|bullmq)\//],
  ['Fake', /^testing\//],
];

/** The eight concepts, in the order in which they are met. */
export const CONCEPTS: readonly string[] = FILES.map(([concept]) => concept);

/** Gives every public name the concept of the file that declares it. */
export function sortByConcept(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    for (const module of project.children ?? []) {
      for (const name of module.children ?? []) addCategory(name, conceptOf(name));
    }
  });
}

function addCategory(name: DeclarationReflection, concept: string): void {
  name.comment ??= new Comment();
  name.comment.blockTags.push(new CommentTag('@category', [{ kind: 'text', text: concept }]));
}

function conceptOf(name: DeclarationReflection): string {
  const path = name.project.getSymbolIdFromReflection(name)?.packagePath ?? '';
  const file = path.replace(/^src\//, '');
  const concept = FILES.find(([, files]) => files.test(file))?.[0];
  if (concept !== undefined) return concept;
  throw new Error(`${name.name} of ${path} belongs to no concept: scripts/docs/concepts.ts lists them`);
}
