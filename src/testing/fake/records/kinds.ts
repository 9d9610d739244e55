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

/** One kind of record. */
export interface Kind<Name extends CollectionName> {
  /** The beginning of new ids. */
  readonly prefix: string;
  /** The field of its id. */
  readonly idField: string;
  /** The key of a record in its collection. */
  readonly key: (record: RecordTypes[Name]) => string;
  /** The schema of a complete record. */
  readonly schema: z.core.$ZodType<RecordTypes[Name]> & { readonly shape: object };
  /** Returns the fields that a new record gets if they are missing. Its id and its owners are known. */
  readonly defaults: (known: RecordTypes[Name], place: RecordPlace) => NewRecordTypes[Name];
  /** A new record, to begin with on the page. Its owners are those of the default seed. */
  readonly example: (region: Region) => NewRecordTypes[Name];
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
 * Every kind of record, a row each. `fake.add`, `fake.records`, the seed, snapshots and the page all read
 * this table. Each row may refer to records of the rows above it.
 */
// The type keeps the schemas out of the declaration files.
export const kinds: { readonly [Name in CollectionName]: Kind<Name> } = {
  workspaces: {
    prefix: 'workspace',
    idField: 'id',
    example: (region) => ({ id: 'acme', ownerIds: [`owner_${region}`], memberIds: [] }),
    key: ({ id }) => id,
    schema: closedObject(() => ({
      id: requiredText,
      secret: requiredText,
      isPrimary: z.boolean(),
      ownerIds: requiredTexts,
      memberIds: requiredTexts,
    })),
    defaults: ({ id }, { region, state }) => ({
      isPrimary: !hasPrimary(state, id),
      secret: `fake-workspace-secret-of-${id}`,
      ownerIds: [`owner_${region}`],
      memberIds: [],
    }),
  },
  orgs: {
    prefix: 'org',
    idField: 'id',
    example: (region) => ({ id: 'acme_org', workspaceId: `workspace_${region}_1` }),
    key: ({ id }) => id,
    schema: closedObject(() => ({ id: requiredText, workspaceId: requiredText })),
    defaults: () => ({}),
  },
  clients: {
    prefix: 'client',
    idField: 'ID',
    example: (region) => ({ ID: 'dana', name: 'Dana', email: 'dana@acme.example', orgId: `org_${region}_1` }),
    key: ({ ID }) => ID,
    schema: OrgClientSchema,
    defaults: ({ ID }) => ({ name: ID }),
  },
  teams: {
    prefix: 'team',
    idField: 'ID',
    example: (region) => ({ ID: 'sales', label: 'Sales', memberIds: [], orgId: `org_${region}_1` }),
    key: ({ ID }) => ID,
    schema: TeamSchema,
    defaults: ({ ID }) => ({ key: ID, memberIds: [] }),
  },
  agents: {
    prefix: 'agent',
    idField: 'id',
    example: () => ({ id: 'bot', name: 'Bot', advanced: { serverUrl: 'http://127.0.0.1:3000/webhooks' } }),
    key: ({ id }) => id,
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
    prefix: 'variable',
    idField: 'id',
    example: (region) => ({ id: 'plan', key: 'plan', value: 'pro', agentId: `agent_${region}_1` }),
    key: ({ id }) => id,
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
    prefix: 'tool',
    idField: 'id',
    example: (region) => ({ id: 'crm_lookup', name: 'CRM lookup', agentId: `agent_${region}_1` }),
    key: ({ id }) => id,
    schema: ToolSchema,
    defaults: ({ id }) => ({ name: id }),
  },
  defaultTools: {
    prefix: 'default_tool',
    idField: 'id',
    example: () => ({ id: 'crm_sync', name: 'CRM sync', kind: 'assignable_system' }),
    key: ({ id, name = '' }) => id ?? name,
    schema: DefaultToolSchema,
    defaults: ({ id }) => ({ name: id, kind: 'assignable_system' }),
  },
  conversations: {
    prefix: 'convo',
    idField: 'convoId',
    example: (region) => ({ agentId: `agent_${region}_1`, convoId: 'c1', record: { userName: 'Dana' } }),
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
    prefix: 'lead',
    idField: 'id',
    example: (region) => ({ id: 'lead_of_dana', agentId: `agent_${region}_1` }),
    key: ({ id }) => id,
    schema: closedObject(() => ({ id: requiredText, agentId: requiredText })),
    defaults: () => ({}),
  },
  phoneNumbers: {
    prefix: 'number',
    idField: 'sid',
    example: (region) => ({ sid: 'PN1', imported: true, workspaceId: `workspace_${region}_1` }),
    key: ({ sid }) => sid,
    schema: closedObject(() => ({ sid: requiredText, imported: z.boolean(), workspaceId: text })),
    defaults: () => ({ imported: false }),
  },
};

/** The names of all collections, in the order of the table. */
// `Object.keys` forgets the names.
export const collectionNames = /* @__PURE__ */ Object.keys(kinds) as readonly CollectionName[];

/** Returns whether another workspace is primary. */
function hasPrimary({ workspaces }: FakeRegionState, id: string): boolean {
  for (const other of workspaces.values()) if (other.isPrimary && other.id !== id) return true;
  return false;
}

/** One key of two ids: that of a conversation in its collection. A slash within an id is escaped. */
export function keyOfPair(agentId: string, id: string): string {
  return [agentId, id].map((part) => part.replace(/[%/]/g, encodeURIComponent)).join('/');
}
