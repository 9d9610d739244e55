import { endpoints } from '../../src/endpoints/endpoints.js';
import type { JsonObject } from './json-schema.js';

/** What is said of an operation beside its endpoint. */
interface About {
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The document shows status 200 for 4.1 alone; of the others it only says that they succeed. */
  readonly success: '200' | '2XX';
  /** Errors whose status the document shows. */
  readonly errors?: Readonly<Record<string, string>>;
}

/** One for each endpoint: a forgotten one does not compile. */
const about: Readonly<Record<keyof typeof endpoints, About>> = {
  listMembersAndTeams: {
    tag: 'Organisations',
    summary: 'List the members and teams of an organisation',
    description: 'Lists the clients and teams of an organisation, used for assignment (4.1).',
    success: '200',
  },
  createVariable: {
    tag: 'Variables',
    summary: 'Create a variable for an agent',
    description:
      'The key must be unique within the agent (4.2). Which fields other than the key are required is not shown.',
    success: '2XX',
    errors: { '400': 'The agent has a variable with this key already.' },
  },
  releasePhoneNumber: {
    tag: 'Calls & Numbers',
    summary: 'Release a telephone number from a workspace',
    description:
      'When isImportedNumber is false, the number is also released on the telephony account of the platform: this is ' +
      'permanent, and the number may not be reclaimable. When it is true, the number is only removed from the ' +
      'workspace (4.3). Whether workspaceId is required is not shown.',
    success: '2XX',
  },
  listDefaultTools: {
    tag: 'Tools',
    summary: 'List the built-in tools',
    description: 'Lists the catalogue of built-in tools, assignable_system and runtime_auto (4.4).',
    success: '2XX',
  },
  getTool: {
    tag: 'Tools',
    summary: 'Get a tool',
    description: 'Returns the full tool configuration, including fields, server URL and channels (4.5).',
    success: '2XX',
  },
  getConversation: {
    tag: 'Conversations',
    summary: 'Get a conversation',
    description: 'The caller must own the agent to read its conversations (4.6).',
    success: '2XX',
  },
  deleteWorkspace: {
    tag: 'Workspaces',
    summary: 'Delete a workspace',
    description:
      'Irreversible: removes all agents, conversations and leads, tools and variables, and team member access. Only ' +
      'owners may delete a workspace, and the primary workspace cannot be deleted (4.7).',
    success: '2XX',
  },
};

/** The groups of operations, with what the document says of each (1, 4.7). */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Organisations', description: 'Clients (dashboard users) and teams, used for chat assignment.' },
  { name: 'Variables', description: 'Named values that belong to an agent.' },
  { name: 'Calls & Numbers', description: 'Telephone numbers, rented from the platform or imported.' },
  { name: 'Tools', description: 'Capabilities that an agent can call, built in or custom.' },
  { name: 'Conversations', description: 'Chats and calls between end users and agents.' },
  { name: 'Workspaces', description: 'What holds agents, conversations, leads, tools and variables.' },
  { name: 'Webhooks', description: 'Events that the service posts to a subscriber endpoint (section 6).' },
];

/** The `paths` of the document: method, path and bodies come from the endpoints. */
export function paths(): Record<string, JsonObject> {
  const all: Record<string, JsonObject> = {};
  for (const key of Object.keys(endpoints) as (keyof typeof endpoints)[]) {
    const { method, path } = endpoints[key];
    all[path] = { ...all[path], [method.toLowerCase()]: operation(key) };
  }
  return all;
}

function operation(key: keyof typeof endpoints): JsonObject {
  const { body, path } = endpoints[key];
  const { tag, summary, description, success, errors = {} } = about[key];
  const name = `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const refusals = Object.entries(errors).map(([status, text]) => [status, response(text, 'ErrorBody')]);
  return {
    operationId: key,
    tags: [tag],
    summary,
    description,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, ...json(`${name}Request`) } }),
    responses: {
      [success]: response('The operation succeeded.', `${name}Response`),
      ...Object.fromEntries(refusals),
      default: response('The operation failed.', 'ErrorBody'),
    },
  };
}

function response(description: string, schema: string): JsonObject {
  return { description, ...json(schema) };
}

/** A JSON body of a named schema. */
export function json(schema: string): JsonObject {
  return { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } };
}
