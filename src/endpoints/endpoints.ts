import * as z from 'zod/mini';
import { type Conversation, ConversationSchema } from '../schemas/conversation.js';
import { type DefaultTool, DefaultToolSchema } from '../schemas/default-tool.js';
import { type MembersAndTeams, MembersAndTeamsResponseSchema } from '../schemas/members-and-teams.js';
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
import type { StandardSchemaV1 } from '../utils/standard-schema.js';
import { endpoint } from './endpoint.js';
import { type ResponseShape, withData, withoutData } from './response-shape.js';

// The types are named, `documented<Tool>(ToolSchema)`: the doc comments of the fields would be lost in the inferred
// ones. Every call is marked as pure: bundlers drop the object if nothing uses it.

/** Gives a schema the type of its interface. */
/* @__NO_SIDE_EFFECTS__ */
function documented<Type>(schema: StandardSchemaV1<Type>): StandardSchemaV1<Type> {
  return schema;
}

const membersAndTeams: ResponseShape<MembersAndTeams> = {
  kind: 'fields',
  schema: MembersAndTeamsResponseSchema,
};

/**
 * The seven documented operations as data, to send with `platform.send(…)` or to read. An operation whose shape the
 * specification does not show is declared with {@link endpoint}.
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
  /**
   * Lists the clients and teams of an organisation.
   *
   * @see API specification, section 4.1
   * @status 200 - The clients and teams.
   */
  listMembersAndTeams: /* @__PURE__ */ endpoint({
    method: 'GET',
    path: '/orgs/{orgId}/members-and-teams',
    response: membersAndTeams,
  }),

  /**
   * Creates a variable for an agent.
   *
   * @see API specification, section 4.2
   * @status 400 - A duplicate key returns this error. Its other causes are not shown.
   */
  createVariable: /* @__PURE__ */ endpoint({
    method: 'POST',
    path: '/agents/{agentId}/variables',
    body: /* @__PURE__ */ documented<CreateVariableBody>(CreateVariableBodySchema),
    response: /* @__PURE__ */ withData(/* @__PURE__ */ documented<Variable>(VariableSchema)),
  }),

  /**
   * Releases a phone number from a workspace.
   *
   * @see API specification, section 4.3
   */
  releasePhoneNumber: /* @__PURE__ */ endpoint({
    method: 'POST',
    path: '/utils/telco/release-number',
    body: /* @__PURE__ */ documented<ReleaseNumberInput>(ReleaseNumberInputSchema),
    response: /* @__PURE__ */ documented<ReleaseNumberResult>(ReleaseNumberResultSchema),
  }),

  /**
   * Lists the catalogue of built-in tools.
   *
   * @see API specification, section 4.4
   */
  listDefaultTools: /* @__PURE__ */ endpoint({
    method: 'GET',
    path: '/tools/defaults',
    response: /* @__PURE__ */ withData(
      /* @__PURE__ */ documented<DefaultTool[]>(/* @__PURE__ */ z.array(DefaultToolSchema)),
    ),
  }),

  /**
   * Retrieves a tool with its full configuration.
   *
   * @see API specification, section 4.5
   */
  getTool: /* @__PURE__ */ endpoint({
    method: 'GET',
    path: '/tools/{toolId}',
    // `/tools/defaults` is another operation (4.4).
    reserved: { toolId: ['defaults'] },
    response: /* @__PURE__ */ withData(/* @__PURE__ */ documented<Tool>(ToolSchema)),
  }),

  /**
   * Retrieves a conversation.
   *
   * @see API specification, section 4.6
   */
  getConversation: /* @__PURE__ */ endpoint({
    method: 'GET',
    path: '/agents/{agentId}/convos/{convoId}',
    response: /* @__PURE__ */ withData(/* @__PURE__ */ documented<Conversation>(ConversationSchema)),
  }),

  /**
   * Permanently deletes a workspace and everything in it.
   *
   * @see API specification, section 4.7
   */
  deleteWorkspace: /* @__PURE__ */ endpoint({
    method: 'DELETE',
    path: '/workspaces/{id}',
    response: /* @__PURE__ */ withoutData(),
  }),
};
