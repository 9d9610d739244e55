import * as z from 'zod/mini';
import { ConfigurationError } from '../../../errors/index.js';
import { type Conversation, ConversationSchema } from '../../../schemas/conversation.js';
import { type DefaultTool, DefaultToolSchema } from '../../../schemas/default-tool.js';
import { requiredText, text } from '../../../schemas/fields.js';
import { closedObject } from '../../../schemas/object.js';
import { type OrgClient, OrgClientSchema } from '../../../schemas/org-client.js';
import { type Team, TeamSchema } from '../../../schemas/team.js';
import { type Tool, ToolSchema } from '../../../schemas/tool.js';
import { type Variable, VariableSchema } from '../../../schemas/variable.js';
import type { Region } from '../../../utils/regions.js';

/** A workspace of the fake. The specification shows no fields of the record; these are the ones its rules need. */
export interface FakeWorkspace {
  /** The workspace's id. */
  readonly id: string;
  /** The workspace secret (5.2): a bearer token here, and `workspaceSecret` of the events (6.1). */
  readonly secret: string;
  /** A primary workspace cannot be deleted (4.7). How many there are is not shown; here, one in a region by default. */
  readonly isPrimary: boolean;
  /** User ids of the owners (4.7). */
  readonly ownerIds: readonly string[];
  /** User ids of the team members, whose access ends with the workspace (4.7). */
  readonly memberIds: readonly string[];
}

/** An agent of the fake. The specification shows no fields of the record; these are the ones its rules need. */
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
   * The platform it runs on, as `agentPlatform` of the agent events: `vg` is the native one, `vf` the external flow
   * builder (a choice: not shown). A `vf` agent sends no `lead_captured` and no `form_submitted` (6.2).
   */
  readonly platform: 'vg' | 'vf';
  /** `serverUrl` is the agent-level webhook address (6.3, rule 1). */
  readonly advanced: {
    /** `conversation_updated` of this agent is posted to this address as well. */
    readonly serverUrl?: string | undefined;
  };
}

/** An organisation of the fake (4.1). Its clients and teams are records of their own, tied to it by `orgId`. */
export interface FakeOrg {
  /** The organisation's id. */
  readonly id: string;
  /** The workspace whose secret reaches it. How the two belong together is not shown. */
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

/** A lead of the fake. The specification shows no fields; it exists to be removed with its workspace. */
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
  /** True for a number of the customer's own telephony account, false for one rented from the platform (4.3). */
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

/** The means to complete a record. */
export interface Completion {
  readonly region: Region;
  readonly state: FakeRegionState;
  readonly conversationId: (agentId: string, convoId: string) => string;
  /** Returns an unused id, the same in every run: `tool_eu_1`, `tool_eu_2`. */
  readonly newId: () => string;
  /** The first record of a collection: the default owner of a new one. */
  readonly first: (collection: 'workspaces' | 'agents' | 'orgs') => string;
}

/** One kind of record. */
export interface Kind<Name extends CollectionName> {
  /** The beginning of new ids. */
  readonly prefix: string;
  /** The key of a record in its collection. */
  readonly key: (record: RecordTypes[Name]) => string;
  /** The schema of a complete record. */
  readonly schema: z.core.$ZodType<RecordTypes[Name]> & { readonly shape: object };
  /** Fills in the missing fields of a new record. */
  readonly complete: (given: NewRecordTypes[Name], completion: Completion) => RecordTypes[Name];
  /** Checks a complete record against the others. */
  readonly check?: (record: RecordTypes[Name], state: FakeRegionState) => void;
}

/** The word for one record of a collection, `tool` of `tools`: the method of `fake.add`. */
export type WordFor<Name extends CollectionName> = Name extends `${infer Word}s` ? Word : never;

/** The word for one record of a collection, in messages. */
export function wordFor<Name extends CollectionName>(name: Name): WordFor<Name> {
  // Every name ends in an s.
  return name.slice(0, -1) as WordFor<Name>;
}

const requiredTexts = /* @__PURE__ */ z.array(requiredText);

/**
 * Every kind of record, a row each. `fake.add`, `fake.records`, the seed, snapshots and the page all read this
 * table. Each row may refer to records of the rows above it.
 */
// The type keeps the schemas out of the declaration files.
export const kinds: { readonly [Name in CollectionName]: Kind<Name> } = {
  workspaces: {
    prefix: 'workspace',
    key: ({ id }) => id,
    schema: closedObject(() => ({
      id: requiredText,
      secret: requiredText,
      isPrimary: z.boolean(),
      ownerIds: requiredTexts,
      memberIds: requiredTexts,
    })),
    complete: (given, { region, state, newId }) => {
      const id = given.id ?? newId();
      const hasPrimary = [...state.workspaces.values()].some((other) => other.isPrimary && other.id !== id);
      const secret = `fake-workspace-secret-of-${id}`;
      return { isPrimary: !hasPrimary, secret, ownerIds: [`owner_${region}`], memberIds: [], ...given, id };
    },
  },
  orgs: {
    prefix: 'org',
    key: ({ id }) => id,
    schema: closedObject(() => ({ id: requiredText, workspaceId: requiredText })),
    complete: (given, { newId, first }) => ({
      ...given,
      id: given.id ?? newId(),
      workspaceId: given.workspaceId ?? first('workspaces'),
    }),
  },
  clients: {
    prefix: 'client',
    key: ({ ID }) => ID,
    schema: OrgClientSchema,
    complete: (given, { newId, first }) => {
      const ID = given.ID ?? newId();
      return { name: ID, ...given, ID, orgId: given.orgId ?? first('orgs') };
    },
  },
  teams: {
    prefix: 'team',
    key: ({ ID }) => ID,
    schema: TeamSchema,
    complete: (given, { newId, first }) => {
      const ID = given.ID ?? newId();
      return { key: ID, memberIds: [], ...given, ID, orgId: given.orgId ?? first('orgs') };
    },
  },
  agents: {
    prefix: 'agent',
    key: ({ id }) => id,
    schema: closedObject(() => ({
      id: requiredText,
      name: requiredText,
      secret: requiredText,
      workspaceId: requiredText,
      platform: z.enum(['vg', 'vf']),
      advanced: closedObject(() => ({ serverUrl: text })),
    })),
    complete: (given, { newId, first }) => {
      const id = given.id ?? newId();
      const workspaceId = given.workspaceId ?? first('workspaces');
      const secret = `fake-agent-secret-of-${id}`;
      return { name: id, secret, platform: 'vg', advanced: {}, ...given, id, workspaceId };
    },
  },
  variables: {
    prefix: 'variable',
    key: ({ id }) => id,
    schema: VariableSchema,
    // Two choices: `type` is 'string', the one value shown (2.3), and `userId` the first owner of the agent's
    // workspace.
    complete: (given, { region, state, newId, first }) => {
      const id = given.id ?? newId();
      const agentId = given.agentId ?? first('agents');
      const workspace = state.workspaces.get(state.agents.get(agentId)?.workspaceId ?? '');
      const userId = workspace?.ownerIds[0] ?? `owner_${region}`;
      return { key: id, type: 'string', userId, ...given, id, agentId };
    },
    check: (variable, { variables }) => {
      if (!isKeyTaken(variable, variables)) return;
      throw new ConfigurationError(
        `Agent "${variable.agentId}" already has a variable with the key "${variable.key}" (4.2).`,
        { option: 'key' },
      );
    },
  },
  tools: {
    prefix: 'tool',
    key: ({ id }) => id,
    schema: ToolSchema,
    complete: (given, { newId, first }) => {
      const id = given.id ?? newId();
      return { name: id, ...given, id, agentId: given.agentId ?? first('agents') };
    },
  },
  defaultTools: {
    prefix: 'default_tool',
    key: ({ id, name = '' }) => id ?? name,
    schema: DefaultToolSchema,
    complete: (given, { newId }) => {
      const id = given.id ?? newId();
      return { name: id, kind: 'assignable_system', ...given, id };
    },
  },
  conversations: {
    prefix: 'convo',
    key: ({ agentId, convoId }) => conversationKey(agentId, convoId),
    schema: closedObject(() => ({
      agentId: requiredText,
      convoId: requiredText,
      record: ConversationSchema,
    })),
    complete: (given, { conversationId, newId, first }) => {
      const agentId = given.agentId ?? first('agents');
      const convoId = given.convoId ?? newId();
      const ID = conversationId(agentId, convoId);
      return { agentId, convoId, record: { ID, userID: ID, ...given.record } };
    },
  },
  leads: {
    prefix: 'lead',
    key: ({ id }) => id,
    schema: closedObject(() => ({ id: requiredText, agentId: requiredText })),
    complete: (given, { newId, first }) => ({
      ...given,
      id: given.id ?? newId(),
      agentId: given.agentId ?? first('agents'),
    }),
  },
  phoneNumbers: {
    prefix: 'number',
    key: ({ sid }) => sid,
    schema: closedObject(() => ({ sid: requiredText, imported: z.boolean(), workspaceId: text })),
    complete: (given, { newId, first }) => ({
      imported: false,
      ...given,
      sid: given.sid ?? newId(),
      workspaceId: given.workspaceId ?? first('workspaces'),
    }),
  },
};

/** The names of all collections, in the order of the table. */
// `Object.keys` forgets the names.
export const collectionNames = /* @__PURE__ */ Object.keys(kinds) as readonly CollectionName[];

/** Whether another variable of the same agent has the key (4.2). */
export function isKeyTaken(
  variable: { readonly id?: string; readonly agentId: string; readonly key: string },
  variables: ReadonlyMap<string, Variable>,
): boolean {
  return [...variables.values()].some(
    ({ id, agentId, key }) => agentId === variable.agentId && key === variable.key && id !== variable.id,
  );
}

/** The key of a conversation. */
export function conversationKey(agentId: string, convoId: string): string {
  return `${agentId}/${convoId}`;
}
