import type { FakeChoices, PermitQuestion } from './choices.js';
import type { FakeState } from './records/records.js';
import { Refusal, type RefusalReason } from './refusals.js';

/** The checks that a rule makes for one request. */
export interface Reach {
  /** Refuses an agent secret. That this is a workspace-level operation is a choice: 5.2 lists none. */
  workspaceOnly(): void;
  /** Refuses a secret that does not reach an agent's records, or a workspace's. */
  mustReach(owner: Owner, reason?: RefusalReason): void;
}

/** The owner of a record. One without either belongs to nobody, and is within every reach. */
type Owner = { readonly agentId?: string | undefined; readonly workspaceId?: string | undefined };

/** Asks `choices.permits`, and returns the checks for the rule: none if it allows the request. */
export async function permit(
  question: PermitQuestion,
  state: FakeState,
  { permits }: FakeChoices,
): Promise<Reach> {
  const permitted = await permits(question);
  if (permitted === false) {
    throw new Refusal('notPermitted', `\`choices.permits\` refuses ${question.operation} to this secret.`);
  }
  return permitted === true ? UNLIMITED_REACH : reachOf(question, state);
}

/** Everything is within reach. */
export const UNLIMITED_REACH: Reach = { workspaceOnly: () => undefined, mustReach: () => undefined };

/** Returns the checks of a secret by default. */
function reachOf({ caller, operation, region }: PermitQuestion, state: FakeState): Reach {
  const forbid = (reason: RefusalReason): never => {
    throw new Refusal(reason, `This ${caller.kind} secret may not call ${operation} for this record.`);
  };
  return {
    workspaceOnly() {
      if (caller.kind === 'agent') forbid('notPermitted');
    },
    mustReach({ agentId, workspaceId }, reason = 'notPermitted') {
      const agent = state[region].agents.get(agentId ?? '');
      const ownerId = workspaceId ?? agent?.workspaceId;
      if (agentId === undefined && ownerId === undefined) return;
      const isOwn = caller.kind === 'agent' ? agentId === caller.agent.id : ownerId === caller.workspace.id;
      if (!isOwn) forbid(reason);
    },
  };
}
