import { REGIONS, type Region } from '../../utils/regions.js';
import { type PermitQuestion, Refusal, type RefusalReason } from './choices.js';
import type { FakeAgent, FakeState, FakeWorkspace } from './records/records.js';

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

/** The checks of a rule, made for one request. */
export interface Reach {
  /** Refuses an agent secret. That this is a workspace-level operation is a choice: 5.2 lists none. */
  workspaceOnly(): void;
  /** Refuses a secret that does not reach an agent's records, or a workspace's. */
  mustReach(owner: Owner, reason?: RefusalReason): void;
}

/** The owner of a record. One without either belongs to nobody, and is within every reach. */
interface Owner {
  readonly agentId?: string | undefined;
  readonly workspaceId?: string | undefined;
}

/** Creates the checks for one request. With `isPermitted`, by `choices.permits`, everything is within reach. */
export function createReach(
  question: Pick<PermitQuestion, 'caller' | 'operation' | 'region'>,
  state: FakeState,
  isPermitted: boolean,
): Reach {
  const { caller, operation, region } = question;
  const refuse = (reason: RefusalReason): never => {
    throw new Refusal(reason, `The ${caller.kind} secret is not allowed to call ${operation} here.`);
  };
  return {
    workspaceOnly() {
      if (!isPermitted && caller.kind === 'agent') refuse('notPermitted');
    },
    mustReach({ agentId, workspaceId }, reason = 'notPermitted') {
      const agent = state[region].agents.get(agentId ?? '');
      const ownerId = workspaceId ?? agent?.workspaceId;
      const isNobodys = agentId === undefined && ownerId === undefined;
      // In the other region nothing is the caller's own; `wrongRegion` has already let it in.
      if (isPermitted || isNobodys || caller.region !== region) return;
      const isOwn = caller.kind === 'agent' ? agentId === caller.agent.id : ownerId === caller.workspace.id;
      if (!isOwn) refuse(reason);
    },
  };
}
