import {
  type Application,
  type CommentDisplayPart,
  type CommentTag,
  type Context,
  Converter,
  type ProjectReflection,
  ReflectionKind,
} from 'typedoc';

/** Shows which error `@throws {NotFoundError}` means, with a link to it. */
export function linkThrownErrors(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    for (const { comment } of Object.values(project.reflections)) {
      for (const tag of comment?.getTags('@throws') ?? []) nameError(tag, project);
    }
  });
}

function nameError(tag: CommentTag, project: ProjectReflection): void {
  const name = /^\{?(\w+)\}?$/.exec(tag.typeAnnotation ?? '')?.[1];
  if (name === undefined) return;
  delete tag.typeAnnotation;
  tag.content.unshift(errorNamed(name, project), { kind: 'text', text: ': ' });
}

function errorNamed(name: string, project: ProjectReflection): CommentDisplayPart {
  const target = project.getReflectionsByKind(ReflectionKind.Class).find((each) => each.name === name);
  // One of the language's own has no page here.
  if (target === undefined) return { kind: 'code', text: `\`${name}\`` };
  return { kind: 'inline-tag', tag: '@link', text: name, target };
}
