/**
 * The OpenAPI 3.1 document of the service. Its facts are the endpoints, the exported schemas and the table of
 * events; its words are their doc comments: see words.ts.
 */
import { components, type JsonObject } from './components.js';
import { paths } from './operations.js';
import { WEBHOOKS_TAG, webhooks } from './webhooks.js';
import type { Words } from './words.js';

/** The text of openapi.json. */
export function openApiText(words: Words): string {
  return `${JSON.stringify(createOpenApi(words), null, 2)}\n`;
}

function createOpenApi(words: Words): JsonObject {
  const operations = { paths: paths(words), webhooks: webhooks(words) };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Conversational Agent Platform REST API',
      version: '3',
      description:
        'The operations and webhook events whose shape the API specification shows. Numbers in parentheses ' +
        'are its sections. What it does not show is left out, such as all operations on Agents, Leads, ' +
        'Knowledge Base, Campaigns and Custom Metrics (4.7). V3 is recommended for new integrations (9). The ' +
        'machine-readable description of the members-and-teams operation is labelled version 1.0.4 (9).\n\n' +
        'Where the specification gives only name and type of a field, the description is read from the name. ' +
        '`examples` are values that it shows; others are possible. `x-choice` marks a field that is `required` ' +
        'here by a choice of agent-platform-sdk: the specification shows it without saying whether it is ' +
        'required. `x-undocumented` marks an operation, an event or a field that the service has, although the ' +
        'specification does not show it.',
    },
    servers: [server('eu'), server('na')],
    security: [{ bearer: [] }],
    tags: [...words.groups, WEBHOOKS_TAG],
    ...operations,
    components: {
      schemas: components(operations, words),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A workspace secret for workspace-level operations, or an agent secret for agent-specific ones. ' +
            "It isn't documented which operations accept which secret, nor lifetime, rotation and scopes (5.2).",
        },
      },
    },
  };
}

/** The specification gives no host names: the address is a variable whose default is a placeholder. */
function server(region: 'eu' | 'na'): JsonObject {
  const variable = `base_url_${region}`;
  return {
    url: `{${variable}}/v3`,
    description:
      `Region ${region.toUpperCase()}. The base address must match the region of the dashboard. ` +
      'A request to the wrong region may fail or return data of the wrong environment (5.1).',
    variables: {
      [variable]: {
        default: `https://${region}.agent-platform.test`,
        description: 'The base address of the region. The default is a placeholder: no host is documented.',
      },
    },
  };
}
