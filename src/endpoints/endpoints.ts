import * as z from 'zod/mini';
import { isObject } from '../ground/json.js';
import type { StandardSchemaV1 } from '../ground/standard-schema.js';
import { type Conversation, ConversationSchema } from '../schemas/conversation.js';
import { type DefaultTool, DefaultToolSchema } from '../schemas/default-tool.js';
import {
  type MembersAndTeams,
  type MembersAndTeamsResponse,
  MembersAndTeamsResponseSchema,
} from '../schemas/members-and-teams.js';
import {
  type ReleaseNumberInput,
  ReleaseNumberInputSchema,
  type ReleaseNumberResult,
  ReleaseNumberResultSchema,
} from '../schemas/release-number.js';
import { type Tool, ToolSchema } from '../schemas/tool.js';
import {
  type CreateVariableBody,
  CreateVariableBodySchema,
  type Variable,
  VariableSchema,
} from '../schemas/variable.js';
import { endpoint } from './endpoint.js';
import { type ResponseShape, withoutData, withRecord } from './response-shape.js';

/** Gives a schema the type of its interface: the doc comments of the fields would be lost in the inferred one. */
/* @__NO_SIDE_EFFECTS__ */
function documented<Type>(schema: StandardSchemaV1<Type>): StandardSchemaV1<Type> {
  return schema;
}

const membersAndTeams: ResponseShape<MembersAndTeams> = {
  schema: MembersAndTeamsResponseSchema,
  unwrap: (body) => {
    // The schema has checked the body, unless validation is off or only reports: then it may be anything.
    const response: Partial<MembersAndTeamsResponse> = isObject(body) ? body : {};
    // What the service has added to the body is kept.
    const { success, message, ...rest } = response;
    // As much of it as the mode has checked.
    return rest as MembersAndTeams;
  },
  allowEmpty: false,
};

/** Lists the clients and teams of an organisation: `GET /orgs/{orgId}/members-and-teams` (document, 4.1). */
export const listMembersAndTeams = endpoint({
  method: 'GET',
  path: '/orgs/{orgId}/members-and-teams',
  response: membersAndTeams,
});

/** Creates a variable for an agent: `POST /agents/{agentId}/variables` (document, 4.2). */
export const createVariable = endpoint({
  method: 'POST',
  path: '/agents/{agentId}/variables',
  body: documented<CreateVariableBody>(CreateVariableBodySchema),
  response: withRecord(documented<Variable>(VariableSchema)),
});

/** Releases a telephone number from a workspace: `POST /utils/telco/release-number` (document, 4.3). */
export const releasePhoneNumber = endpoint({
  method: 'POST',
  path: '/utils/telco/release-number',
  body: documented<ReleaseNumberInput>(ReleaseNumberInputSchema),
  response: documented<ReleaseNumberResult>(ReleaseNumberResultSchema),
});

/** Lists the catalogue of built-in tools: `GET /tools/defaults` (document, 4.4). */
export const listDefaultTools = endpoint({
  method: 'GET',
  path: '/tools/defaults',
  response: withRecord(documented<DefaultTool[]>(z.array(DefaultToolSchema))),
});

/** Retrieves a tool with its full configuration: `GET /tools/{toolId}` (document, 4.5). */
export const getTool = endpoint({
  method: 'GET',
  path: '/tools/{toolId}',
  // `/tools/defaults` is another operation (4.4).
  reserved: { toolId: ['defaults'] },
  response: withRecord(documented<Tool>(ToolSchema)),
});

/** Retrieves a conversation: `GET /agents/{agentId}/convos/{convoId}` (document, 4.6). */
export const getConversation = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/convos/{convoId}',
  response: withRecord(documented<Conversation>(ConversationSchema)),
});

/** Deletes a workspace for good, with all it holds: `DELETE /workspaces/{id}` (document, 4.7). */
export const deleteWorkspace = endpoint({
  method: 'DELETE',
  path: '/workspaces/{id}',
  response: withoutData(),
});

/**
 * The seven documented operations as data, to send with `platform.send(…)` or to read. An operation whose shape the
 * document does not show is declared with {@link endpoint}.
 *
 * @example
 * ```ts
 * import { AgentPlatform, endpoints } from 'agent-platform-sdk';
 *
 * const platform = new AgentPlatform();
 * const tool = await platform.send(endpoints.getTool, { path: { toolId: 'tool_1' } });
 * ```
 */
export const endpoints = {
  /** Lists the clients and teams of an organisation (document, 4.1). */
  listMembersAndTeams,
  /** Creates a variable for an agent (document, 4.2). */
  createVariable,
  /** Releases a telephone number from a workspace (document, 4.3). */
  releasePhoneNumber,
  /** Lists the catalogue of built-in tools (document, 4.4). */
  listDefaultTools,
  /** Retrieves a tool with its full configuration (document, 4.5). */
  getTool,
  /** Retrieves a conversation (document, 4.6). */
  getConversation,
  /** Deletes a workspace for good, with all it holds (document, 4.7). */
  deleteWorkspace,
};
