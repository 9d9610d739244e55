import type { Region } from '../ground/regions.js';
import type { Conversation } from '../schemas/conversation.js';
import type { DefaultTool } from '../schemas/default-tool.js';
import type { OrgClient } from '../schemas/org-client.js';
import type { Team } from '../schemas/team.js';
import type { Tool } from '../schemas/tool.js';
import type { Variable } from '../schemas/variable.js';
import type { FakeAgent, FakeLead, FakePhoneNumber, FakeWorkspace } from './state.js';

/** A workspace to add: a primary one where its region has no other; the owner is `owner_<region>` by default. */
export type NewWorkspace = Partial<FakeWorkspace>;
/** An agent to add; in the region's first workspace by default. */
export type NewAgent = Partial<FakeAgent>;
/** An organisation to add, with its clients and teams. */
export interface NewOrg {
  /** Default: a new id. */
  readonly id?: string | undefined;
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
