import * as z from 'zod/v4/mini';
import { type Conversation, ConversationSchema } from '../schemas/conversation.js';
import { type DefaultTool, DefaultToolSchema } from '../schemas/default-tool.js';
import { EnvelopeSchema } from '../schemas/envelope.js';
import { anything } from '../schemas/fields.js';
import { type MembersAndTeams, MembersAndTeamsResponseSchema } from '../schemas/members-and-teams.js';
import { closedObject } from '../schemas/object.js';
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
import { type ResponseShape, withData, withFields, withoutData } from './response-shape.js';

/**
 * The documented operations as data, to send with `platform.send(…)` or to read.
 *
 * An operation that the specification does not show is declared with {@link endpoint}.
 *
 * @example
 * ```ts
 * import { AgentPlatform, endpoints } from 'agent-platform-sdk';
 *
 * const platform = new AgentPlatform();
 * const tool = await platform.send(endpoints.getTool, { path: { toolId: 'tool_1' } });
 * ```
 */
export const endpoints = /* @__PURE__ */ createEndpoints();

/** A function, so that bundlers drop all of it if nothing uses `endpoints`. */
function createEndpoints() {
  return {
    /**
     * Lists the clients and teams of an organisation.
     *
     * @see API specification, section 4.1
     * @status 200 - The clients and teams.
     */
    listMembersAndTeams: endpoint({
      method: 'GET',
      path: '/orgs/{orgId}/members-and-teams',
      response: membersAndTeams(),
    }),

    /**
     * Creates a variable for an agent.
     *
     * @see API specification, section 4.2
     * @status 400 - A duplicate key returns this error. The API specification doesn't say if it has other causes.
     */
    createVariable: endpoint({
      method: 'POST',
      path: '/agents/{agentId}/variables',
      body: documented<CreateVariableBody>(CreateVariableBodySchema),
      response: withData(documented<Variable>(VariableSchema)),
    }),

    /**
     * Releases a phone number from a workspace.
     *
     * @see API specification, section 4.3
     */
    releasePhoneNumber: endpoint({
      method: 'POST',
      path: '/utils/telco/release-number',
      body: documented<ReleaseNumberInput>(ReleaseNumberInputSchema),
      response: documented<ReleaseNumberResult>(ReleaseNumberResultSchema),
    }),

    /**
     * Lists the catalogue of built-in tools.
     *
     * @see API specification, section 4.4
     */
    listDefaultTools: endpoint({
      method: 'GET',
      path: '/tools/defaults',
      response: withData(documented<DefaultTool[]>(z.array(DefaultToolSchema))),
    }),

    /**
     * Retrieves a tool with its full configuration.
     *
     * @see API specification, section 4.5
     */
    getTool: endpoint({
      method: 'GET',
      path: '/tools/{toolId}',
      // `/tools/defaults` is another operation (4.4).
      reserved: { toolId: ['defaults'] },
      response: withData(documented<Tool>(ToolSchema)),
    }),

    /**
     * Retrieves a conversation.
     *
     * @see API specification, section 4.6
     */
    getConversation: endpoint({
      method: 'GET',
      path: '/agents/{agentId}/convos/{convoId}',
      response: withData(documented<Conversation>(ConversationSchema)),
    }),

    /**
     * Permanently deletes a workspace with its agents, conversations, leads, tools and variables.
     *
     * @see API specification, section 4.7
     */
    deleteWorkspace: endpoint({
      method: 'DELETE',
      path: '/workspaces/{id}',
      response: withoutData(),
    }),
  };
}

/** The one response without `data`, whose envelope is closed (4.1). */
function membersAndTeams(): ResponseShape<MembersAndTeams> {
  const { clients, teams } = MembersAndTeamsResponseSchema.shape;
  const envelope = closedObject(() => ({ ...EnvelopeSchema.shape, clients: anything, teams: anything }));
  return { ...withFields({ clients, teams }), schema: envelope, whole: MembersAndTeamsResponseSchema };
}

/** Gives a schema the type of its interface, whose doc comments an inferred type would lose. */
function documented<Type>(schema: StandardSchemaV1<Type>): StandardSchemaV1<Type> {
  return schema;
}
