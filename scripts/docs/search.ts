import {
  type Application,
  type DeclarationReflection,
  IndexEvent,
  type Reflection,
  ReflectionKind,
} from 'typedoc';

/** Heavier than a name, so that what was asked for by its whole name comes first. */
const WEIGHT = 100;

/** Lets the search find `conversations.get` as it is written in a program: the class is `ConversationsResource`. */
export function findMethodsAsTheyAreCalled(app: Application): void {
  app.renderer.on(IndexEvent.PREPARE_INDEX, (event: IndexEvent) => {
    event.searchFieldWeights.call = WEIGHT;
    event.searchResults.forEach((reflection, row) => {
      const call = callOf(reflection);
      if (call !== undefined) event.searchFields[row] = { call };
    });
  });
}

function callOf(reflection: Reflection): string | undefined {
  const { parent } = reflection;
  if (!reflection.kindOf(ReflectionKind.Method) || parent === undefined) return undefined;
  const resource = resourcesOf(reflection).get(parent.name);
  return resource === undefined ? undefined : `${resource}.${reflection.name}`;
}

/** The properties of the client by the class of each: `ConversationsResource` is `conversations`. */
function resourcesOf({ project }: Reflection): ReadonlyMap<string, string> {
  const [client] = project
    .getReflectionsByKind(ReflectionKind.Class)
    .filter(({ name }) => name === 'AgentPlatform');
  const properties = (client as DeclarationReflection | undefined)?.children ?? [];
  return new Map(
    properties.flatMap(({ name, type }) => (type?.type === 'reference' ? [[type.name, name]] : [])),
  );
}
