import type { AgentPlatform, endpoints, RequestOptions } from 'agent-platform-sdk';
import * as sdk from 'agent-platform-sdk';
import type { SeedHandles } from 'agent-platform-sdk/testing';
import { complete, minimal } from '../schemas/records.js';

/** An operation as section 4 shows it, and its method. */
export interface DocumentedOperation {
  /** Method and path. */
  readonly route: string;
  readonly schemaOfBody?: unknown;
  /** A response with each field. */
  readonly response: object;
  /** The caller's part of it. */
  readonly result: unknown;
  /** Calls it with ids of the fake, which performs it. */
  readonly call: (
    platform: AgentPlatform,
    seed: SeedHandles,
    options?: RequestOptions,
  ) => PromiseLike<unknown>;
}

export type OperationName = keyof typeof endpoints;

const envelope = { success: true, message: 'done' };
const members = { clients: [complete('OrgClient')], teams: [complete('Team')] };
const catalogue = [complete('DefaultTool'), minimal('DefaultTool')];
const released = { ...complete('ReleaseNumberResult'), added: 1 };

/** The response of an operation whose envelope has `data`, and the caller's part of it. */
const withData = (data: unknown) => ({ response: { ...envelope, data }, result: data });

/** One for each operation: a forgotten one does not compile. */
export const operations: Readonly<Record<OperationName, DocumentedOperation>> = {
  listMembersAndTeams: {
    route: 'GET /orgs/{orgId}/members-and-teams',
    response: { ...envelope, ...members },
    result: members,
    call: ({ orgs }, { orgId }, options) => orgs.listMembersAndTeams(orgId, options),
  },
  createVariable: {
    route: 'POST /agents/{agentId}/variables',
    schemaOfBody: sdk.CreateVariableBodySchema,
    ...withData(complete('Variable')),
    call: ({ variables }, { agentId }, options) => variables.create(agentId, { key: 'plan' }, options),
  },
  releasePhoneNumber: {
    route: 'POST /utils/telco/release-number',
    schemaOfBody: sdk.ReleaseNumberInputSchema,
    response: released,
    result: released,
    call: ({ phoneNumbers }, { rentedNumberSid: phoneNumberSid }, options) =>
      phoneNumbers.release({ phoneNumberSid, isImportedNumber: false }, options),
  },
  listDefaultTools: {
    route: 'GET /tools/defaults',
    ...withData(catalogue),
    call: ({ tools }, _, options) => tools.listDefaults(options),
  },
  getTool: {
    route: 'GET /tools/{toolId}',
    ...withData(complete('Tool')),
    call: ({ tools }, { toolId }, options) => tools.get(toolId, options),
  },
  getConversation: {
    route: 'GET /agents/{agentId}/convos/{convoId}',
    ...withData(complete('Conversation')),
    call: ({ conversations }, { agentId, convoId }, options) =>
      conversations.get({ agentId, convoId }, options),
  },
  deleteWorkspace: {
    route: 'DELETE /workspaces/{id}',
    response: envelope,
    result: undefined,
    call: ({ workspaces }, { secondWorkspaceId, secondWorkspaceSecret: token }, options) =>
      workspaces.delete(secondWorkspaceId, { token, ...options }),
  },
};

export const operationNames = Object.keys(operations) as readonly OperationName[]; // `Object.keys` forgets the names.
