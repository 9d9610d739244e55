import type { Region } from '../regions.js';
import type { Conversation } from '../schemas/conversation.js';
import type { DefaultTool } from '../schemas/default-tool.js';
import type { OrgClient } from '../schemas/org-client.js';
import type { Team } from '../schemas/team.js';
import type { Tool } from '../schemas/tool.js';
import type { Variable } from '../schemas/variable.js';
import type { FakeAgent, FakeLead, FakePhoneNumber, FakeWorkspace } from './state.js';

/** A workspace to add. The first of a region is its primary one; the owner is `owner_<region>` by default. */
export type NewWorkspace = Partial<FakeWorkspace>;
/** An agent to add; in the primary workspace by default. */
export type NewAgent = Partial<FakeAgent>;
/** An organisation to add, with its clients and teams. */
export interface NewOrg {
  readonly id?: string | undefined;
  readonly clients?: readonly Partial<OrgClient>[] | undefined;
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
  readonly agentId?: string | undefined;
  readonly convoId?: string | undefined;
  readonly record?: Partial<Conversation> | undefined;
}
/** A lead to add; of the region's first agent by default. */
export type NewLead = Partial<FakeLead>;
/** A telephone number to add; rented, and in the primary workspace by default. */
export type NewPhoneNumber = Partial<FakePhoneNumber>;

/** Records to begin with, in one region. They are added in this order, so each may name those above it. */
export interface RegionRecords {
  readonly workspaces?: readonly NewWorkspace[] | undefined;
  readonly orgs?: readonly NewOrg[] | undefined;
  readonly agents?: readonly NewAgent[] | undefined;
  readonly variables?: readonly NewVariable[] | undefined;
  readonly tools?: readonly NewTool[] | undefined;
  readonly defaultTools?: readonly NewDefaultTool[] | undefined;
  readonly conversations?: readonly NewConversation[] | undefined;
  readonly leads?: readonly NewLead[] | undefined;
  readonly phoneNumbers?: readonly NewPhoneNumber[] | undefined;
}

/** Records to begin with, by region. */
export type StartRecords = { readonly [Name in Region]?: RegionRecords | undefined };
