import * as z from 'zod/v4/mini';
import { ConversationSchema } from '../../../schemas/conversation.js';
import { DefaultToolSchema } from '../../../schemas/default-tool.js';
import { requiredText, text } from '../../../schemas/fields.js';
import { closedObject } from '../../../schemas/object.js';
import { OrgClientSchema } from '../../../schemas/org-client.js';
import { TeamSchema } from '../../../schemas/team.js';
import { ToolSchema } from '../../../schemas/tool.js';
import { EventAgentPlatformSchema } from '../../../schemas/values.js';
import { VariableSchema } from '../../../schemas/variable.js';
import type { Region } from '../../../utils/regions.js';
import type { CollectionName, FakeRegionState, NewRecordTypes, RecordTypes } from './records.js';

/** The place of a record: its region, with the other records there. */
export interface RecordPlace {
  readonly region: Region;
  readonly state: FakeRegionState;
}

/** The field that names the owner of a record, by the owner's collection. */
export const ownerFields = { workspaces: 'workspaceId', orgs: 'orgId', agents: 'agentId' } as const;

/** A collection whose records own others. */
export type OwnerName = keyof typeof ownerFields;

/** One kind of record. */
export interface Kind<Name extends CollectionName> {
  /** The beginning of new ids. By default, the word for a record. */
  readonly prefix?: string;
  /** The field of its id. */
  readonly idField: string;
  /** The collection whose records own these: by default, its first record. A field names the owner. */
  readonly owner?: OwnerName;
  /** The records stay when their owner is deleted. By default, they go too. */
  readonly outlivesOwner?: true;
  /** The key of a record in its collection. By default, its id. */
  readonly key?: (record: RecordTypes[Name]) => string;
  /** The schema of a complete record. */
  readonly schema: z.core.$ZodType<RecordTypes[Name]> & { readonly shape: object };
  /** Returns the fields that a new record gets if they are missing. Its id and its owners are known. */
  readonly defaults: (known: RecordTypes[Name], place: RecordPlace) => NewRecordTypes[Name];
  /** A new record without its owner, to begin with on the page. */
  readonly example: NewRecordTypes[Name];
  /** Returns the value that only one record may have. */
  readonly unique?: (record: RecordTypes[Name]) => string;
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
 * Every kind of record, a row each. `fake.add`, `fake.records`, the seed, snapshots, the page and the deletion of an
 * owner all read this table. Each row may refer to records of the rows above it.
 */
// The type keeps the schemas out of the declaration files.
export const kinds: { readonly [Name in CollectionName]: Kind<Name> } = {
  workspaces: {
    idField: 'id',
    example: { id: 'acme', ownerIds: ['owner_1'], memberIds: [] },
    schema: closedObject(() => ({
      id: requiredText,
      secret: requiredText,
      isPrimary: z.boolean(),
      ownerIds: requiredTexts,
      memberIds: requiredTexts,
    })),
    defaults: ({ id }, { region, state }) => ({
      isPrimary: ![...state.workspaces.values()].some((other) => other.isPrimary && other.id !== id),
      secret: `fake-workspace-secret-of-${id}`,
      ownerIds: [`owner_${region}`],
      memberIds: [],
    }),
  },
  orgs: {
    idField: 'id',
    owner: 'workspaces',
    outlivesOwner: true,
    example: { id: 'acme_org' },
    schema: closedObject(() => ({ id: requiredText, workspaceId: requiredText })),
    defaults: () => ({}),
  },
  clients: {
    idField: 'ID',
    owner: 'orgs',
    example: { ID: 'dana', name: 'Dana', email: 'dana@acme.example' },
    schema: OrgClientSchema,
    defaults: ({ ID }) => ({ name: ID }),
  },
  teams: {
    idField: 'ID',
    owner: 'orgs',
    example: { ID: 'sales', label: 'Sales', memberIds: [] },
    schema: TeamSchema,
    defaults: ({ ID }) => ({ key: ID, memberIds: [] }),
  },
  agents: {
    idField: 'id',
    owner: 'workspaces',
    example: { id: 'bot', name: 'Bot', advanced: { serverUrl: 'http://127.0.0.1:3000/webhooks' } },
    schema: closedObject(() => ({
      id: requiredText,
      name: requiredText,
      secret: requiredText,
      workspaceId: requiredText,
      platform: EventAgentPlatformSchema,
      advanced: closedObject(() => ({ serverUrl: text })),
    })),
    defaults: ({ id }) => ({
      name: id,
      secret: `fake-agent-secret-of-${id}`,
      platform: 'vg',
      advanced: {},
    }),
  },
  variables: {
    idField: 'id',
    owner: 'agents',
    example: { id: 'plan', key: 'plan', value: 'pro' },
    schema: VariableSchema,
    // Two choices: `type` is 'string', the one value shown (2.3), and `userId` the first owner of the agent's
    // workspace.
    defaults: ({ id, agentId }, { region, state }) => {
      const workspace = state.workspaces.get(state.agents.get(agentId)?.workspaceId ?? '');
      return { key: id, type: 'string', userId: workspace?.ownerIds[0] ?? `owner_${region}` };
    },
    // Keys are unique within an agent (4.2).
    unique: ({ agentId, key }) => keyOfPair(agentId, key),
  },
  tools: {
    idField: 'id',
    owner: 'agents',
    example: { id: 'crm_lookup', name: 'CRM lookup' },
    schema: ToolSchema,
    defaults: ({ id }) => ({ name: id }),
  },
  defaultTools: {
    prefix: 'default_tool',
    idField: 'id',
    example: { id: 'crm_sync', name: 'CRM sync', kind: 'assignable_system' },
    key: ({ id, name = '' }) => id ?? name,
    schema: DefaultToolSchema,
    defaults: ({ id }) => ({ name: id, kind: 'assignable_system' }),
  },
  conversations: {
    prefix: 'convo',
    idField: 'convoId',
    owner: 'agents',
    example: { convoId: 'c1', record: { userName: 'Dana' } },
    key: ({ agentId, convoId }) => keyOfPair(agentId, convoId),
    schema: closedObject(() => ({
      agentId: requiredText,
      convoId: requiredText,
      record: ConversationSchema,
    })),
    defaults: ({ agentId, convoId }) => {
      const ID = `${agentId}_${convoId}`;
      return { record: { ID, userID: ID } };
    },
  },
  leads: {
    idField: 'id',
    owner: 'agents',
    example: { id: 'lead_of_dana' },
    schema: closedObject(() => ({ id: requiredText, agentId: requiredText })),
    defaults: () => ({}),
  },
  phoneNumbers: {
    prefix: 'number',
    idField: 'sid',
    owner: 'workspaces',
    outlivesOwner: true,
    example: { sid: 'PN1', imported: true },
    schema: closedObject(() => ({ sid: requiredText, imported: z.boolean(), workspaceId: text })),
    defaults: () => ({ imported: false }),
  },
};

/** Returns the key of a record in its collection. */
export function keyOf<Name extends CollectionName>(name: Name, record: RecordTypes[Name]): string {
  const { key, idField }: Kind<Name> = kinds[name];
  return key?.(record) ?? String((record as Readonly<Record<string, unknown>>)[idField]);
}

/** Returns the id of a record's owner, if it has one in this collection. */
export function ownerIdOf(record: object, owner: OwnerName): string | undefined {
  // The schema of each kind with an owner has its field, as a text.
  return (record as { readonly [Field in (typeof ownerFields)[OwnerName]]?: string })[ownerFields[owner]];
}

/** The names of all collections, in the order of the table. */
// `Object.keys` forgets the names.
export const collectionNames = /* @__PURE__ */ Object.keys(kinds) as readonly CollectionName[];

/** One key of two ids: that of a conversation in its collection. A slash within an id is escaped. */
export function keyOfPair(agentId: string, id: string): string {
  return [agentId, id].map((part) => part.replace(/[%/]/g, encodeURIComponent)).join('/');
}
