import type { MembersAndTeamsResponse } from '../schemas/members-and-teams.js';
import type { OrgClient } from '../schemas/org-client.js';
import type { ReleaseNumberResult } from '../schemas/release-number.js';
import type { Team, TeamSummary } from '../schemas/team.js';
import type { FakeChoices } from './choices.js';
import { conversationKey } from './conversation-key.js';
import type { Operations } from './operation.js';
import { Refusal } from './refusal.js';
import { releaseNumber } from './release-number.js';
import { removeWorkspace } from './remove-workspace.js';

/** The documented operations (section 4), each with the rules that the document states for it, and no other. */
export const operations: Operations = {
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
    const userId = state.workspaces.get(agent.workspaceId)?.ownerIds[0];
    const variable = { type: choices.variableType, ...body.variable, id, agentId: agent.id, userId };
    state.variables.set(id, variable);
    return { ...succeeded(choices), data: variable };
  },

  releasePhoneNumber({ body, caller, state, choices }): ReleaseNumberResult {
    try {
      releaseNumber(body, caller, state, choices);
    } catch (error) {
      if (error instanceof Refusal && choices.refusedRelease === 'isGood-false') {
        return { isGood: false, errors: error.message };
      }
      throw error;
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
    removeWorkspace(state, workspace.id);
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
