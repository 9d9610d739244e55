import { REGIONS, type Region } from '../../utils/regions.js';
import type { FakeAgent, FakeState, FakeWorkspace } from './records/records.js';
import { Refusal } from './refusals.js';

/** The holder of the secret that a request carries (5.2): a workspace, or an agent. */
export type Caller =
  | {
      /** A workspace secret. */
      readonly kind: 'workspace';
      /** The region whose secret it is. */
      readonly region: Region;
      /** The workspace whose secret it is. */
      readonly workspace: FakeWorkspace;
    }
  | {
      /** An agent secret. */
      readonly kind: 'agent';
      /** The region whose secret it is. */
      readonly region: Region;
      /** The workspace that the agent belongs to. */
      readonly workspace: FakeWorkspace;
      /** The agent whose secret it is. */
      readonly agent: FakeAgent;
    };

/** Finds the caller by the bearer token: first in the addressed region, then in the other. */
export function authenticate(headers: Headers, addressed: Region, state: FakeState): Caller {
  const token = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (token === undefined) {
    throw new Refusal('unauthenticated', 'The header "Authorization: Bearer <token>" is missing.');
  }
  for (const region of [addressed, ...REGIONS.filter((other) => other !== addressed)]) {
    const caller = findCaller(token, state, region);
    if (caller !== undefined) return caller;
  }
  throw new Refusal('unauthenticated', 'The token is unknown.');
}

function findCaller(token: string, state: FakeState, region: Region): Caller | undefined {
  const { workspaces, agents } = state[region];
  for (const workspace of workspaces.values()) {
    if (workspace.secret === token) return { kind: 'workspace', region, workspace };
  }
  for (const agent of agents.values()) {
    const workspace = workspaces.get(agent.workspaceId);
    if (agent.secret === token && workspace !== undefined) return { kind: 'agent', region, workspace, agent };
  }
  return undefined;
}
