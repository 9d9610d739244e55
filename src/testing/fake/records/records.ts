import type { Conversation } from '../../../schemas/conversation.js';
import type { DefaultTool } from '../../../schemas/default-tool.js';
import type { OrgClient } from '../../../schemas/org-client.js';
import type { Team } from '../../../schemas/team.js';
import type { Tool } from '../../../schemas/tool.js';
import type { EventAgentPlatform } from '../../../schemas/values.js';
import type { Variable } from '../../../schemas/variable.js';
import type { Region } from '../../../utils/regions.js';

/** A workspace of the fake. The specification does not show its fields: these are what the rules need. */
export interface FakeWorkspace {
  /** The workspace's id. */
  readonly id: string;
  /** The workspace secret (5.2): a bearer token here, and `workspaceSecret` of the events (6.1). */
  readonly secret: string;
  /** A primary workspace cannot be deleted (4.7). By default, each region has one: a choice. */
  readonly isPrimary: boolean;
  /**
   * User ids of the owners (4.7); the first is `userId` of a created variable. They have no effect on secrets:
   * 5.2 does not say who a secret acts for. See {@link FakeChoices.permits} to test the rule of 4.7.
   */
  readonly ownerIds: readonly string[];
  /** User ids of the team members, whose access ends with the workspace (4.7). No effect on secrets. */
  readonly memberIds: readonly string[];
}

/** An agent of the fake. The specification does not show its fields: these are what the rules need. */
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
   * `agentPlatform` of the agent events: `vg` is the native platform, `vf` the external flow builder (a
   * choice: not shown). A `vf` agent sends no `lead_captured` and no `form_submitted` (6.2).
   */
  readonly platform: EventAgentPlatform;
  /** `serverUrl` is the agent-level webhook address (6.3, rule 1). */
  readonly advanced: {
    /** `conversation_updated` of this agent is posted to this address as well. */
    readonly serverUrl?: string | undefined;
  };
}

/** An organisation of the fake (4.1). Its clients and teams refer to it by `orgId`. */
export interface FakeOrg {
  /** The organisation's id. */
  readonly id: string;
  /** The workspace whose secret reaches it. The specification does not say how the two belong together. */
  readonly workspaceId: string;
}

/** A conversation of the fake: the record, and the two ids that address it (4.6). */
export interface FakeConversation {
  /** The agent of the conversation. */
  readonly agentId: string;
  /** The conversation's id, unique under that agent. */
  readonly convoId: string;
  /** The record in a response (2.6). */
  readonly record: Conversation;
}

/** A lead of the fake, removed with its workspace. The specification does not show its fields. */
export interface FakeLead {
  /** The lead's id. */
  readonly id: string;
  /** The agent of the lead. */
  readonly agentId: string;
}

/** A telephone number of the fake. */
export interface FakePhoneNumber {
  /** The number's id: `phoneNumberSid` of a release (4.3). */
  readonly sid: string;
  /** Whether it belongs to the customer's own telephony account. Otherwise it is rented (4.3). */
  readonly imported: boolean;
  /** The workspace that has it; undefined for an imported number that was released: its account keeps it. */
  readonly workspaceId?: string | undefined;
}

/** A conversation to add: its two ids, and fields of its record. */
export interface NewConversation {
  /** Default: the first agent of the region. */
  readonly agentId?: string | undefined;
  /** Default: a new id. */
  readonly convoId?: string | undefined;
  /** Fields of the record (2.6). */
  readonly record?: Partial<Conversation> | undefined;
}

/** The record type of each collection. */
export interface RecordTypes {
  /** Workspaces, by id. */
  readonly workspaces: FakeWorkspace;
  /** Organisations, by id. */
  readonly orgs: FakeOrg;
  /** Clients of organisations (2.1), by `ID`. */
  readonly clients: OrgClient;
  /** Teams of organisations (2.2), by `ID`. */
  readonly teams: Team;
  /** Agents, by id. */
  readonly agents: FakeAgent;
  /** Variables of agents (2.3), by id. */
  readonly variables: Variable;
  /** Tools of agents (2.4), by id. */
  readonly tools: Tool;
  /** The built-in catalogue (2.5), by id, or by name for an entry without an id. */
  readonly defaultTools: DefaultTool;
  /** Conversations of agents (2.6), by agent id and conversation id, with a slash between. */
  readonly conversations: FakeConversation;
  /** Leads of agents, by id. */
  readonly leads: FakeLead;
  /** Telephone numbers of workspaces, by `sid`. */
  readonly phoneNumbers: FakePhoneNumber;
}

/** The name of a collection of records: a key of `fake.state.eu` and of the records to begin with. */
export type CollectionName = keyof RecordTypes;

/** The fields of a new record of each collection. */
export type NewRecordTypes = {
  readonly [Name in CollectionName]: Name extends 'conversations'
    ? NewConversation
    : Partial<RecordTypes[Name]>;
};

/** The input for a new record of a collection: fields that are missing or undefined are filled in. */
export type NewRecordOf<Name extends CollectionName> = {
  readonly [Field in keyof NewRecordTypes[Name]]: NewRecordTypes[Name][Field] | undefined;
};

/** The records of one region, by collection. */
export type FakeRegionState = { readonly [Name in CollectionName]: ReadonlyMap<string, RecordTypes[Name]> };

/** The same, for handlers that change records. */
export type MutableRegionState = { readonly [Name in CollectionName]: Map<string, RecordTypes[Name]> };

/** The live records of a fake. The regions share nothing. */
export type FakeState = { readonly [Name in Region]: FakeRegionState };

/** Records to begin with, in one region. They are added in the order of {@link RecordTypes}. */
export type RegionRecords = {
  readonly [Name in CollectionName]?: readonly NewRecordOf<Name>[] | undefined;
};

/** Records to begin with, by region. */
export type StartRecords = { readonly [Name in Region]?: RegionRecords | undefined };
