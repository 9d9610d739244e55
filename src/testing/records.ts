// The records of the fake, as types: those it holds, those that are added to it, and both by region. The table over
// their collections is in state.ts.

import type { Region } from '../ground/regions.js';
import type { Conversation } from '../schemas/conversation.js';
import type { DefaultTool } from '../schemas/default-tool.js';
import type { OrgClient } from '../schemas/org-client.js';
import type { Team } from '../schemas/team.js';
import type { Tool } from '../schemas/tool.js';
import type { Variable } from '../schemas/variable.js';

/** A workspace of the fake. The specification shows no fields of the record; these are what its rules speak of. */
export interface FakeWorkspace {
  /** The workspace's id. */
  readonly id: string;
  /** The workspace secret (5.2): a bearer token here, and `workspaceSecret` of the events (6.1). */
  readonly secret: string;
  /** A primary workspace cannot be deleted (4.7). Their number is not shown; here, one in a region by default. */
  readonly isPrimary: boolean;
  /** User ids of the owners: only they may delete the workspace (4.7). */
  readonly ownerIds: readonly string[];
  /** User ids of the team members, whose access ends with the workspace (4.7). */
  readonly memberIds: readonly string[];
}

/** An agent of the fake. The specification shows no fields of the record; these are what its rules speak of. */
export interface FakeAgent {
  /** The agent's id, unique in its region. */
  readonly id: string;
  /** The agent's name. */
  readonly name: string;
  /** The agent secret (5.2). */
  readonly secret: string;
  /** The workspace that owns the agent. */
  readonly workspaceId: string;
  /**
   * The platform it runs on, as `agentPlatform` of the agent events: `vg` the native one, `vf` the external flow builder
   * (which is which: not shown). A `vf` agent has no `lead_captured` and no `form_submitted` (6.2).
   */
  readonly platform: 'vg' | 'vf';
  /** `serverUrl` is the agent-level webhook address (6.3, rule 1). */
  readonly advanced: {
    /** The address that `conversation_updated` of this agent is posted to as well. */
    readonly serverUrl?: string | undefined;
  };
}

/** An organisation of the fake: what 4.1 lists. */
export interface FakeOrg {
  /** The organisation's id. */
  readonly id: string;
  /** The workspace whose secret reaches it. How the two belong together is not shown. */
  readonly workspaceId: string;
  /** Its clients (2.1). */
  readonly clients: readonly OrgClient[];
  /** Its teams (2.2). */
  readonly teams: readonly Team[];
}

/** A conversation of the fake: the record as it is answered, and the two ids it is asked for by (4.6). */
export interface FakeConversation {
  /** The agent that held the conversation. */
  readonly agentId: string;
  /** The conversation's id under that agent. */
  readonly convoId: string;
  /** The record as it is answered (2.6). */
  readonly record: Conversation;
}

/** A lead of the fake. Its fields are not shown in the specification; it is here to be removed with its workspace. */
export interface FakeLead {
  /** The lead's id. */
  readonly id: string;
  /** The agent that captured the lead. */
  readonly agentId: string;
}

/** A telephone number of the fake. */
export interface FakePhoneNumber {
  /** The number's id: `phoneNumberSid` of a release (4.3). */
  readonly sid: string;
  /** True for a number of the customer's own telephony account, false for one rented from the platform (4.3). */
  readonly imported: boolean;
  /** The workspace that has it; undefined for an imported number that was released: its account keeps it. */
  readonly workspaceId: string | undefined;
}

/** Everything one region holds; the regions of the fake share nothing. */
export interface FakeRegionState {
  /** By id. */
  readonly workspaces: ReadonlyMap<string, FakeWorkspace>;
  /** By id. */
  readonly agents: ReadonlyMap<string, FakeAgent>;
  /** By id. */
  readonly orgs: ReadonlyMap<string, FakeOrg>;
  /** By id. */
  readonly variables: ReadonlyMap<string, Variable>;
  /** By id. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** The built-in catalogue (2.5), by id. */
  readonly defaultTools: ReadonlyMap<string, DefaultTool>;
  /** By agent id and conversation id, each percent-encoded, with a slash between. */
  readonly conversations: ReadonlyMap<string, FakeConversation>;
  /** By id. */
  readonly leads: ReadonlyMap<string, FakeLead>;
  /** By `sid`. */
  readonly phoneNumbers: ReadonlyMap<string, FakePhoneNumber>;
  /** `sid` of each rented number that was released: gone for good (4.3, rule 1). */
  readonly releasedForGood: ReadonlySet<string>;
}

/** The live records of a fake, by region. */
export type FakeState = { readonly [Name in Region]: FakeRegionState };

/** The same, for the code that changes it. */
export type MutableRegionState = {
  readonly [Name in keyof FakeRegionState]: FakeRegionState[Name] extends ReadonlyMap<string, infer Value>
    ? Map<string, Value>
    : Set<string>;
};
export type MutableState = { readonly [Name in Region]: MutableRegionState };

/** A workspace to add: a primary one where its region has no other; the owner is `owner_<region>` by default. */
export type NewWorkspace = Partial<FakeWorkspace>;
/** An agent to add; in the region's first workspace and on the native platform by default. */
export type NewAgent = Partial<FakeAgent>;
/** An organisation to add, with its clients and teams. */
export interface NewOrg {
  /** Default: a new id. */
  readonly id?: string | undefined;
  /** Default: the region's first workspace. */
  readonly workspaceId?: string | undefined;
  /** Its clients (2.1). Default none. */
  readonly clients?: readonly Partial<OrgClient>[] | undefined;
  /** Its teams (2.2). Default none. */
  readonly teams?: readonly Partial<Team>[] | undefined;
}
/** A variable to add; of the region's first agent by default. */
export type NewVariable = Partial<Variable>;
/** A tool to add; of the region's first agent by default. */
export type NewTool = Partial<Tool>;
/** An entry to add to the default catalogue. */
export type NewDefaultTool = Partial<DefaultTool>;
/** A conversation to add: the two ids it is asked for by, and fields of its record. */
export interface NewConversation {
  /** Default: the first agent there is. */
  readonly agentId?: string | undefined;
  /** Default: a new id. */
  readonly convoId?: string | undefined;
  /** Fields of the record (2.6). */
  readonly record?: Partial<Conversation> | undefined;
}
/** A lead to add; of the region's first agent by default. */
export type NewLead = Partial<FakeLead>;
/** A telephone number to add; rented, and in the region's first workspace by default. */
export type NewPhoneNumber = Partial<FakePhoneNumber>;

/** Records to begin with, in one region. They are added in this order, so each may name those above it. */
export interface RegionRecords {
  /** Workspaces; the first is primary unless another says so. */
  readonly workspaces?: readonly NewWorkspace[] | undefined;
  /** Organisations with their clients and teams. */
  readonly orgs?: readonly NewOrg[] | undefined;
  /** Agents. */
  readonly agents?: readonly NewAgent[] | undefined;
  /** Variables of agents. */
  readonly variables?: readonly NewVariable[] | undefined;
  /** Tools. */
  readonly tools?: readonly NewTool[] | undefined;
  /** The default catalogue. */
  readonly defaultTools?: readonly NewDefaultTool[] | undefined;
  /** Conversations of agents. */
  readonly conversations?: readonly NewConversation[] | undefined;
  /** Leads of agents. */
  readonly leads?: readonly NewLead[] | undefined;
  /** Telephone numbers of workspaces. */
  readonly phoneNumbers?: readonly NewPhoneNumber[] | undefined;
}

/** Records to begin with, by region. */
export type StartRecords = { readonly [Name in Region]?: RegionRecords | undefined };
