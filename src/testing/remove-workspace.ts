import type { MutableRegionState } from './state.js';

/**
 * Deletes a workspace and what goes with it (4.7, rule 1): agents, conversations and leads, tools and variables.
 * The access of its members goes with the record itself, and so do its secret and those of its agents.
 */
export function removeWorkspace(state: MutableRegionState, id: string): void {
  const agentIds = new Set<string>();
  for (const agent of state.agents.values()) {
    if (agent.workspaceId === id) agentIds.add(agent.id);
  }
  for (const records of [state.conversations, state.leads, state.tools, state.variables]) {
    removeOfAgents(records, agentIds);
  }
  for (const agentId of agentIds) state.agents.delete(agentId);
  state.workspaces.delete(id);
}

function removeOfAgents(
  records: Map<string, { readonly agentId?: string | undefined }>,
  agentIds: ReadonlySet<string>,
): void {
  for (const [key, record] of records) {
    if (record.agentId !== undefined && agentIds.has(record.agentId)) records.delete(key);
  }
}
