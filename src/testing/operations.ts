import type { Endpoint, PathParameter } from '../endpoints/endpoint.js';
import type { endpoints } from '../endpoints/endpoints.js';
import type { Region } from '../ground/regions.js';
import type { MembersAndTeamsResponse } from '../schemas/members-and-teams.js';
import type { OrgClient } from '../schemas/org-client.js';
import type { ReleaseNumberResult } from '../schemas/release-number.js';
import type { Team, TeamSummary } from '../schemas/team.js';
import type { Caller } from './authenticate.js';
import type { FakeChoices } from './choices.js';
import type { MutableRegionState } from './records.js';
import { Refusal, type RefusalReason } from './refusals.js';
import { collectionsOfAgents, conversationKey, type NewIds } from './state.js';

/** The keys of `endpoints`: the documented operations. */
export type OperationName = keyof typeof endpoints;

/** One accepted request, as an operation of the fake sees it: authenticated, and with a valid body. */
export interface OperationCall<Parameter extends string = string, Body = unknown> {
  /** The path parameters, decoded. */
  readonly path: { readonly [Name in Parameter]: string };
  /** The body as it was sent; it fits the endpoint's schema. */
  readonly body: Body;
  /** The query as it was sent. */
  readonly query: URLSearchParams;
  /** The holder of the secret that the request carries. */
  readonly caller: Caller;
  /** The region whose records are used. */
  readonly region: Region;
  /** The records of this region, to read and to change. */
  readonly state: MutableRegionState;
  /** Gives ids for new records. */
  readonly ids: NewIds;
  /** The choices of the fake where the specification is silent. */
  readonly choices: FakeChoices;
}

/** The rule of one endpoint: changes the state, and returns the body of the answer. */
type Rule<Declared> =
  Declared extends Endpoint<infer Path, infer Body, infer _Query, infer _Result>
    ? (call: OperationCall<PathParameter<Path>, Body>) => unknown
    : never;

/**
 * The rule of each documented operation (section 4): what the specification states for it, and nothing else. A missing one
 * does not compile.
 */
export const rules: { readonly [Name in OperationName]: Rule<(typeof endpoints)[Name]> } = {
  listMembersAndTeams({ path, state, choices }): MembersAndTeamsResponse {
    const org = found(state.orgs.get(path.orgId), 'organisation', path.orgId);
    const clients = org.clients.map((client) => withTeams(client, org.teams));
    return { ...succeeded(choices), clients, teams: [...org.teams] };
  },

  createVariable({ path, body, state, region, ids, choices }) {
    const agent = found(state.agents.get(path.agentId), 'agent', path.agentId);
    const { key } = body.variable;
    for (const variable of state.variables.values()) {
      if (variable.agentId === agent.id && variable.key === key) {
        throw new Refusal('duplicateKey', `The agent has a variable with the key "${key}" already.`);
      }
    }
    const id = ids.next('variable', region, (taken) => state.variables.has(taken));
    const { type = choices.variableType, ...sent } = body.variable;
    const userId = state.workspaces.get(agent.workspaceId)?.ownerIds[0] ?? `owner_${region}`;
    const variable = { ...sent, id, type, agentId: agent.id, userId };
    state.variables.set(id, variable);
    return { ...succeeded(choices), data: variable };
  },

  releasePhoneNumber({ body, caller, state, choices }): ReleaseNumberResult {
    const refuse = (reason: RefusalReason, message: string): ReleaseNumberResult => {
      if (choices.refusedRelease === 'error-body') throw new Refusal(reason, message);
      return { isGood: false, errors: message };
    };
    const { phoneNumberSid: sid, isImportedNumber } = body;
    // Without a workspace in the request, the workspace of the token is meant: a choice.
    const workspaceId = body.workspaceId ?? caller.workspace.id;
    const number = state.phoneNumbers.get(sid);
    if (number === undefined || number.workspaceId !== workspaceId) {
      return refuse('notFound', `The workspace "${workspaceId}" has no number "${sid}".`);
    }
    if (number.imported !== isImportedNumber && choices.numberKindMismatch === 'refuse') {
      const kind = number.imported ? 'an imported' : 'a rented';
      return refuse('numberKindMismatch', `"${sid}" is ${kind} number: isImportedNumber does not fit.`);
    }
    if (isImportedNumber) {
      // Rule 2: only removed from the workspace; the customer's own telephony account keeps it.
      state.phoneNumbers.set(sid, { ...number, workspaceId: undefined });
    } else {
      // Rule 1: released on the platform's telephony account too, for good.
      state.phoneNumbers.delete(sid);
      state.releasedForGood.add(sid);
    }
    return { isGood: true, errors: choices.releaseErrors };
  },

  listDefaultTools({ state, choices }) {
    return { ...succeeded(choices), data: [...state.defaultTools.values()] };
  },

  getTool({ path, state, choices }) {
    return { ...succeeded(choices), data: found(state.tools.get(path.toolId), 'tool', path.toolId) };
  },

  getConversation({ path, caller, state, choices }) {
    const agent = found(state.agents.get(path.agentId), 'agent', path.agentId);
    if (!choices.ownsAgent(caller, agent)) {
      throw new Refusal('notAgentOwner', 'Only the owner of an agent may read its conversations.');
    }
    const key = conversationKey(agent.id, path.convoId);
    const conversation = found(state.conversations.get(key), 'conversation', path.convoId);
    return { ...succeeded(choices), data: conversation.record };
  },

  deleteWorkspace({ path, caller, state, choices }) {
    const workspace = found(state.workspaces.get(path.id), 'workspace', path.id);
    if (!choices.ownsWorkspace(caller, workspace)) {
      throw new Refusal('notWorkspaceOwner', 'Only an owner of the workspace may delete it.');
    }
    if (workspace.isPrimary) {
      throw new Refusal('primaryWorkspace', 'The primary workspace cannot be deleted.');
    }
    // Rule 1: its agents go too, with their conversations, leads, tools and variables. The access of its members goes with
    // the record itself, and so do its secret and those of its agents.
    const agents = [...state.agents.values()].filter(({ workspaceId }) => workspaceId === workspace.id);
    const agentIds = new Set<string | undefined>(agents.map(({ id }) => id));
    for (const records of collectionsOfAgents(state)) {
      for (const [key, { agentId }] of records) if (agentIds.has(agentId)) records.delete(key);
    }
    for (const { id } of agents) state.agents.delete(id);
    state.workspaces.delete(workspace.id);
    return succeeded(choices);
  },
};

function succeeded(choices: FakeChoices): { success: boolean; message: string } {
  return { success: true, message: choices.successMessage };
}

function found<Record>(record: Record | undefined, kind: string, id: string): Record {
  if (record === undefined) throw new Refusal('notFound', `There is no ${kind} with the id "${id}".`);
  return record;
}

/** `teams` of a client are those that list it as a member (2.1), unless the test has set them. */
function withTeams(client: OrgClient, teams: readonly Team[]): OrgClient {
  if (client.teams !== undefined) return client;
  return { ...client, teams: teams.filter((team) => team.memberIds?.includes(client.ID)).map(summaryOf) };
}

function summaryOf({ ID, key, label, description, orgId }: Team): TeamSummary {
  return { ID, key, label, description, orgId };
}
