import { REGIONS, type Region } from '../../utils/regions.js';
import type { FakeAgent, FakeState, FakeWorkspace } from './records/records.js';
import { Refusal } from './refusals.js';

/** The holder of the secret that a request carries (5.2): a workspace, or an agent. */
export type Caller = {
  /** The region whose secret it is. */
  readonly region: Region;
  /** The workspace whose secret it is, or to which the agent belongs. */
  readonly workspace: FakeWorkspace;
} & (
  | {
      /** A workspace secret. */
      readonly kind: 'workspace';
    }
  | {
      /** An agent secret. */
      readonly kind: 'agent';
      /** The agent whose secret it is. */
      readonly agent: FakeAgent;
    }
);

/** Refuses a request without a token of the addressed region. */
export function requireCaller(holder: Caller | undefined, headers: Headers, addressed: Region): Caller {
  if (bearerToken(headers) === undefined) {
    const isBare = /^\S+$/.test(headers.get('authorization') ?? '');
    const problem = isBare ? 'lacks "Bearer " before the token' : 'is missing';
    throw new Refusal('unauthenticated', `The header "Authorization: Bearer <token>" ${problem}.`);
  }
  if (holder === undefined) throw new Refusal('unauthenticated', 'The token is unknown.');
  if (holder.region === addressed) return holder;
  throw new Refusal('wrongRegion', `The token belongs to region ${holder.region}, not to ${addressed}.`);
}

/** Finds the holder of a token: first in the addressed region, then in the other. */
export function findCaller(headers: Headers, addressed: Region, state: FakeState): Caller | undefined {
  const token = bearerToken(headers);
  for (const region of [addressed, ...REGIONS]) {
    const { workspaces, agents } = state[region];
    for (const workspace of workspaces.values()) {
      if (workspace.secret === token) return { kind: 'workspace', region, workspace };
    }
    for (const agent of agents.values()) {
      const workspace = workspaces.get(agent.workspaceId);
      if (agent.secret === token && workspace !== undefined)
        return { kind: 'agent', region, workspace, agent };
    }
  }
  return undefined;
}

function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}
