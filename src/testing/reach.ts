import type { endpoints } from '../endpoints/endpoints.js';
import type { Region } from '../ground/regions.js';
import type { Tool } from '../schemas/tool.js';
import type { Variable } from '../schemas/variable.js';
import type { Caller } from './authenticate.js';
import type {
  FakeAgent,
  FakeConversation,
  FakeLead,
  FakeOrg,
  FakePhoneNumber,
  FakeWorkspace,
} from './records.js';

/** The records of the fake, by the names of their kinds. */
export interface RecordOfKind {
  /** A workspace. */
  readonly workspace: FakeWorkspace;
  /** An organisation. */
  readonly org: FakeOrg;
  /** An agent. */
  readonly agent: FakeAgent;
  /** A variable of an agent. */
  readonly variable: Variable;
  /** A tool of an agent. */
  readonly tool: Tool;
  /** A conversation of an agent. */
  readonly conversation: FakeConversation;
  /** A lead of an agent. */
  readonly lead: FakeLead;
  /** A phone number of a workspace. */
  readonly phoneNumber: FakePhoneNumber;
}

/** A record that a request names, and the agent and the workspace that it belongs to: `kind` narrows `record`. */
export type ConcernedRecord = {
  readonly [Kind in keyof RecordOfKind]: {
    /** The kind of the record. */
    readonly kind: Kind;
    /** The record as it is before the operation. */
    readonly record: RecordOfKind[Kind];
    /** The agent that it belongs to, or that it is. */
    readonly agentId: string | undefined;
    /** The workspace that it belongs to, through its agent or itself, or that it is. */
    readonly workspaceId: string | undefined;
  };
}[keyof RecordOfKind];

/** The question that {@link FakeChoices.permits} answers. */
export interface PermitQuestion {
  /** The caller, as the token tells. */
  readonly caller: Caller;
  /** The key of the operation in `endpoints`, such as `'getTool'`; for an endpoint of your own, `GET /agents/{agentId}/tools`. */
  readonly operation: string;
  /** The region whose records are used: another than the caller's only where `choices.wrongRegion` lets it in. */
  readonly region: Region;
  /** The path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The body as it was sent; it fits the endpoint's schema. Undefined where the endpoint has none. */
  readonly body: unknown;
  /**
   * The records that the request names, in its path (`/agents/{agentId}/convos/{convoId}`) and then in its body
   * (`workspaceId`, `agentId`, `phoneNumberSid`). One that is not there is not among them.
   */
  readonly records: readonly ConcernedRecord[];
}

/** The operations for which an agent secret is not enough: the specification's "workspace-level operations" (5.2), not listed there. */
const workspaceLevel: readonly string[] = [
  'listMembersAndTeams',
  'releasePhoneNumber',
  'deleteWorkspace',
] satisfies (keyof typeof endpoints)[];

/** Ownership is decided by `choices.ownsAgent` (4.6) and `choices.ownsWorkspace` (4.7). */
const decidedByOwnership: readonly string[] = [
  'getConversation',
  'deleteWorkspace',
] satisfies (keyof typeof endpoints)[];

/** The default of {@link FakeChoices.permits}: a secret reaches what belongs to its own agent or its own workspace. */
export function isWithinReach({ caller, operation, region, records }: PermitQuestion): boolean {
  if (caller.kind === 'agent' && workspaceLevel.includes(operation)) return false;
  if (decidedByOwnership.includes(operation)) return true;
  // In the other region nothing is its own; `wrongRegion` has decided that it may have the data there.
  if (caller.region !== region) return true;
  return records.every(({ agentId, workspaceId }) => {
    const isNobodys = agentId === undefined && workspaceId === undefined;
    const isOwn = caller.kind === 'agent' ? agentId === caller.agent.id : workspaceId === caller.workspace.id;
    return isNobodys || isOwn;
  });
}
