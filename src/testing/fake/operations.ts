import type { Endpoint, PathParameter } from '../../endpoints/endpoint.js';
import type { endpoints } from '../../endpoints/endpoints.js';
import type { OrgClient } from '../../schemas/org-client.js';
import type { Team } from '../../schemas/team.js';
import type { Region } from '../../utils/regions.js';
import type { Reach } from './access.js';
import type { Caller } from './caller.js';
import { keyOfPair, wordFor } from './records/kinds.js';
import type { CollectionName } from './records/records.js';
import { deleteWithOwned, type RegionStore } from './records/region-store.js';
import { Refusal } from './refusals.js';
import { SUCCESS } from './responses.js';

/** The keys of `endpoints`: the documented operations. */
export type OperationName = keyof typeof endpoints;

/** A request to a documented operation: authenticated, with a valid body. */
export interface OperationCall<Parameter extends string = string, Body = unknown, Query = unknown> {
  readonly path: { readonly [Name in Parameter]: string };
  readonly body: Body;
  readonly query: Query;
  readonly region: Region;
  readonly caller: Caller;
  readonly reach: Reach;
  /** The records of the region. */
  readonly state: RegionStore;
}

/** The rule of one endpoint: changes the records, and returns the body of the response. */
type Rule<Declared> =
  Declared extends Endpoint<infer Path, infer Body, infer Query, infer _Result>
    ? (call: OperationCall<PathParameter<Path>, Body, Query>) => object
    : never;

/**
 * The rule of each documented operation (section 4). Where the specification is silent, it is a choice
 * (`choices.ts`). A missing rule does not compile.
 */
export const rules: { readonly [Name in OperationName]: Rule<(typeof endpoints)[Name]> } = {
  listMembersAndTeams({ path, state, reach }) {
    reach.workspaceOnly();
    const org = found(state.orgs.get(path.orgId), 'orgs', path.orgId);
    reach.mustReach(org);
    const teams = [...state.teams.values()].filter(({ orgId }) => orgId === org.id);
    const clients = [...state.clients.values()].filter(({ orgId }) => orgId === org.id);
    return { ...SUCCESS, clients: clients.map((client) => withTeams(client, teams)), teams };
  },

  createVariable({ path, body, state, reach }) {
    const agent = found(state.agents.get(path.agentId), 'agents', path.agentId);
    reach.mustReach({ agentId: agent.id });
    // The service sets these two, and the body cannot have them.
    const { id: _, userId: __, ...sent } = body.variable;
    const variable = { ...sent, agentId: agent.id };
    if (state.variables.holderOf(keyOfPair(agent.id, variable.key)) !== undefined) {
      throw new Refusal('duplicateKey', `The agent already has a variable with the key "${variable.key}".`);
    }
    return { ...SUCCESS, data: state.variables.add(variable) };
  },

  releasePhoneNumber({ body, caller, state, reach }) {
    reach.workspaceOnly();
    const { phoneNumberSid: sid, isImportedNumber } = body;
    // A choice: without a workspace in the request, it is the caller's.
    const workspaceId = body.workspaceId ?? caller.workspace.id;
    if (state.workspaces.has(workspaceId)) reach.mustReach({ workspaceId });
    const number = state.phoneNumbers.get(sid);
    if (number !== undefined) reach.mustReach(number);
    if (number === undefined || number.workspaceId !== workspaceId) {
      const message = `The workspace "${workspaceId}" has no number "${sid}".`;
      throw new Refusal('notFound', message, { collection: 'phoneNumbers' });
    }
    if (number.imported !== isImportedNumber) {
      const kind = number.imported ? 'an imported' : 'a rented';
      const message = `"${sid}" is ${kind} number: isImportedNumber must be ${number.imported}.`;
      throw new Refusal('numberKindMismatch', message);
    }
    if (number.imported) {
      // Rule 2: only removed from the workspace; the customer's own telephony account keeps it.
      state.phoneNumbers.set(sid, { sid, imported: true });
    } else {
      // Rule 1: released on the platform's telephony account too, for good.
      state.phoneNumbers.delete(sid);
    }
    return { isGood: true, errors: '' };
  },

  listDefaultTools({ state }) {
    return { ...SUCCESS, data: [...state.defaultTools.values()] };
  },

  getTool({ path, state, reach }) {
    const tool = found(state.tools.get(path.toolId), 'tools', path.toolId);
    reach.mustReach({ agentId: tool.agentId });
    return { ...SUCCESS, data: tool };
  },

  getConversation({ path, state, reach }) {
    const agent = found(state.agents.get(path.agentId), 'agents', path.agentId);
    // The caller must own the agent to read its conversations (4.6).
    reach.mustReach({ agentId: agent.id }, 'notAgentOwner');
    const conversation =
      state.conversations.get(keyOfPair(agent.id, path.convoId)) ??
      // A choice: by its `ID` as well, which may be either of the two (2.6).
      [...state.conversations.values()].find(
        ({ agentId, record }) => agentId === agent.id && record.ID === path.convoId,
      );
    return { ...SUCCESS, data: found(conversation, 'conversations', path.convoId).record };
  },

  deleteWorkspace({ path, state, reach }) {
    reach.workspaceOnly();
    const workspace = found(state.workspaces.get(path.id), 'workspaces', path.id);
    // Only an owner may delete it (4.7). A choice: a workspace secret acts for the owners of its workspace.
    reach.mustReach({ workspaceId: workspace.id }, 'notWorkspaceOwner');
    if (workspace.isPrimary) {
      throw new Refusal('primaryWorkspace', 'The primary workspace cannot be deleted.');
    }
    // Rule 1: its agents go too, with their conversations, leads, tools and variables. Access of members and
    // all secrets end with the records.
    deleteWithOwned(state, 'workspaces', workspace.id);
    return SUCCESS;
  },
};

function found<Record>(record: Record | undefined, collection: CollectionName, id: string): Record {
  if (record !== undefined) return record;
  throw new Refusal('notFound', `There is no ${wordFor(collection)} with the id "${id}".`, { collection });
}

/** A client with its teams: those that list it as a member (2.1), unless the record already has some. */
function withTeams(client: OrgClient, teams: readonly Team[]): OrgClient {
  if (client.teams !== undefined) return client;
  const own = teams.filter((team) => team.memberIds?.includes(client.ID));
  const summaries = own.map(({ ID, key, label, description, orgId }) => ({
    ID,
    key,
    label,
    description,
    orgId,
  }));
  return { ...client, teams: summaries };
}
