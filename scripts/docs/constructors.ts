import {
  type Application,
  type Context,
  Converter,
  type DeclarationReflection,
  ReflectionKind,
} from 'typedoc';

/** Leaves out the constructors that are not for users: resources and promises are made by the client. */
export function hideOwnConstructors(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    const classes = project.getReflectionsByKind(ReflectionKind.Class) as DeclarationReflection[];
    for (const { name, children = [] } of classes) {
      const found = children.find((member) => member.kindOf(ReflectionKind.Constructor));
      if (found !== undefined && isOwn(name, found)) project.removeReflection(found);
    }
  });
}

/** Those of `ToolsResource` and `ApiPromise`, and those whose comment says what to use instead. */
function isOwn(name: string, { signatures }: DeclarationReflection): boolean {
  const text = signatures?.[0]?.comment?.summary.map((part) => part.text).join('') ?? '';
  return /(Resource|^ApiPromise)$/.test(name) || text.startsWith('Use ');
}
