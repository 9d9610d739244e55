import {
  type Application,
  type Comment,
  type Context,
  Converter,
  type DeclarationReflection,
  ReflectionKind,
} from 'typedoc';
import ts from 'typescript';

/** Every function has an example, and every method of a class is called in one: in its own, or in another of the class. */
export function requireExamples(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_END, (context: Context) => {
    const ofKind = (kind: ReflectionKind) => context.project.getReflectionsByKind(kind);
    // Both kinds are declarations.
    const found = [ReflectionKind.Function, ReflectionKind.Method].flatMap(ofKind) as DeclarationReflection[];
    for (const reflection of found.filter((each) => isOfUsers(each, context) && !isShown(each))) {
      context.logger.error(`${reflection.getFullName()} is called in no example`);
    }
  });
}

/** Not what users implement, nor what a class has from elsewhere. */
function isOfUsers(reflection: DeclarationReflection, context: Context): boolean {
  const { parent, inheritedFrom, overwrites, implementationOf } = reflection;
  if (reflection.name.startsWith('[')) return false;
  if (parent === undefined || (inheritedFrom ?? overwrites ?? implementationOf) !== undefined) return false;
  // A class whose type alone is public is shown as an interface.
  const isOfClass = ((context.getSymbolFromReflection(parent)?.flags ?? 0) & ts.SymbolFlags.Class) !== 0;
  return reflection.kindOf(ReflectionKind.Function) || isOfClass;
}

function isShown(reflection: DeclarationReflection): boolean {
  if (examplesOf(reflection).length > 0) return true;
  // The parent of a method is a class or an interface.
  const owner = reflection.parent as DeclarationReflection;
  const examples = [owner, ...(owner.children ?? [])].flatMap(examplesOf);
  return (
    reflection.kindOf(ReflectionKind.Method) && examples.some((text) => text.includes(`.${reflection.name}(`))
  );
}

function examplesOf({ comment, signatures = [], type }: DeclarationReflection): string[] {
  const ofType = type?.type === 'reflection' ? (type.declaration.signatures ?? []) : [];
  const comments: (Comment | undefined)[] = [
    comment,
    ...[...signatures, ...ofType].map((each) => each.comment),
  ];
  return comments.flatMap((each) =>
    (each?.getTags('@example') ?? []).map(({ content }) => content.map(({ text }) => text).join('')),
  );
}
