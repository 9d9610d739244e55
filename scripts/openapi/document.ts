import { components } from './components.js';
import { type JsonObject, toComponents } from './json-schema.js';
import { paths, TAGS } from './operations.js';
import { webhooks } from './webhooks.js';

/** What is written about a schema, or about a field of it: `description`, and `deprecated` where it is so. */
export type Describe = (schema: string, field?: string) => JsonObject;

/** The OpenAPI 3.1 document of the service, made from the endpoints, the schemas and the table of events. */
export function createOpenApi(describe: Describe): JsonObject {
  const schemas = components();
  const names = new Map([...schemas].map(([name, schema]) => [schema as object, name]));
  return {
    openapi: '3.1.1',
    info: info(),
    servers: [server('eu'), server('na')],
    security: [{ bearer: [] }],
    tags: TAGS,
    paths: paths(),
    // Every payload is among the components: a test looks at each.
    webhooks: webhooks((schema) => names.get(schema) ?? ''),
    components: {
      schemas: described(toComponents(schemas), describe),
      securitySchemes: { bearer: bearer() },
    },
  };
}

function info(): JsonObject {
  return {
    title: 'Conversational Agent Platform REST API',
    version: '3',
    description:
      'The operations and webhook events whose shape is documented. Sections in parentheses are those of the ' +
      'document that agent-platform-sdk implements. What it does not show is left open here.',
  };
}

/** The document gives no host names, so the address is a variable with a placeholder. */
function server(region: 'eu' | 'na'): JsonObject {
  const variable = `base_url_${region}`;
  return {
    url: `{${variable}}/v3`,
    description: `Region ${region.toUpperCase()}; it must match the region of the dashboard (5.1).`,
    variables: {
      [variable]: {
        default: `https://${region}.agent-platform.test`,
        description: 'The base address of the region. The default is a placeholder: no host is documented.',
      },
    },
  };
}

function bearer(): JsonObject {
  return {
    type: 'http',
    scheme: 'bearer',
    description: 'A workspace secret or an agent secret (5.2). Which operations accept which is not shown.',
  };
}

function described(schemas: Record<string, JsonObject>, describe: Describe): Record<string, JsonObject> {
  const result: Record<string, JsonObject> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const fields = (schema.properties ?? {}) as Record<string, JsonObject>;
    const properties = Object.fromEntries(
      Object.entries(fields).map(([field, about]) => [field, { ...describe(name, field), ...about }]),
    );
    const whole = schema.properties === undefined ? schema : { ...schema, properties };
    result[name] = { ...describe(name), ...whole };
  }
  return result;
}
