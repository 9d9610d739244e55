import {
  type Application,
  type Context,
  Converter,
  type DeclarationReflection,
  ReferenceType,
  ReflectionKind,
} from 'typedoc';

/**
 * Shows `ToolSchema` as a schema of `Tool`. What the compiler infers repeats every field, as Zod has made it and without a
 * word of documentation.
 */
export function shortenSchemas(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    const variables = project.getReflectionsByKind(ReflectionKind.Variable) as DeclarationReflection[];
    for (const schema of variables.filter(({ name }) => name.endsWith('Schema'))) shorten(schema);
  });
}

function shorten(schema: DeclarationReflection): void {
  const { project, type } = schema;
  const record = schema.parent?.getChildByName([schema.name.replace(/Schema$/, '')]);
  if (type === undefined || record === undefined) return;
  project.removeTypeReflections(type);
  const shown = ReferenceType.createBrokenReference('ZodMiniType', project, 'zod');
  shown.typeArguments = [ReferenceType.createResolvedReference(record.name, record, project)];
  schema.type = shown;
}
