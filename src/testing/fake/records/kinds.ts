import * as z from 'zod/mini';
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

/** The means to complete a record. */
export interface Completion {
  readonly region: Region;
  readonly state: FakeRegionState;
  /** Returns an unused id, the same in every run: `tool_eu_1`, `tool_eu_2`. Its key is the id by default. */
  readonly newId: (keyOf?: (id: string) => string) => string;
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
  /** A new record, to begin with on the page. Its owners are those of the default seed. */
  readonly example: (region: Region) => NewRecordTypes[Name];
  /** What only one record may have. */
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
    example: (region) => ({ id: 'acme', ownerIds: [`owner_${region}`], memberIds: [] }),
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
      const isPrimary = !hasPrimary(state, id);
      const secret = `fake-workspace-secret-of-${id}`;
      return { isPrimary, secret, ownerIds: [`owner_${region}`], memberIds: [], ...given, id };
    },
  },
  orgs: {
    prefix: 'org',
    example: (region) => ({ id: 'acme_org', workspaceId: `workspace_${region}_1` }),
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
    example: (region) => ({ ID: 'dana', name: 'Dana', email: 'dana@acme.example', orgId: `org_${region}_1` }),
    key: ({ ID }) => ID,
    schema: OrgClientSchema,
    complete: (given, { newId, first }) => {
      const ID = given.ID ?? newId();
      return { name: ID, ...given, ID, orgId: given.orgId ?? first('orgs') };
    },
  },
  teams: {
    prefix: 'team',
    example: (region) => ({ ID: 'sales', label: 'Sales', memberIds: [], orgId: `org_${region}_1` }),
    key: ({ ID }) => ID,
    schema: TeamSchema,
    complete: (given, { newId, first }) => {
      const ID = given.ID ?? newId();
      return { key: ID, memberIds: [], ...given, ID, orgId: given.orgId ?? first('orgs') };
    },
  },
  agents: {
    prefix: 'agent',
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
    complete: (given, { newId, first }) => {
      const id = given.id ?? newId();
      const workspaceId = given.workspaceId ?? first('workspaces');
      const secret = `fake-agent-secret-of-${id}`;
      return { name: id, secret, platform: 'vg', advanced: {}, ...given, id, workspaceId };
    },
  },
  variables: {
    prefix: 'variable',
    example: (region) => ({ id: 'plan', key: 'plan', value: 'pro', agentId: `agent_${region}_1` }),
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
    // Keys are unique within an agent (4.2).
    unique: ({ agentId, key }) => keyOfPair(agentId, key),
  },
  tools: {
    prefix: 'tool',
    example: (region) => ({ id: 'crm_lookup', name: 'CRM lookup', agentId: `agent_${region}_1` }),
    key: ({ id }) => id,
    schema: ToolSchema,
    complete: (given, { newId, first }) => {
      const id = given.id ?? newId();
      return { name: id, ...given, id, agentId: given.agentId ?? first('agents') };
    },
  },
  defaultTools: {
    prefix: 'default_tool',
    example: () => ({ id: 'crm_sync', name: 'CRM sync', kind: 'assignable_system' }),
    key: ({ id, name = '' }) => id ?? name,
    schema: DefaultToolSchema,
    complete: (given, { newId }) => {
      const id = given.id ?? newId();
      return { name: id, kind: 'assignable_system', ...given, id };
    },
  },
  conversations: {
    prefix: 'convo',
    example: (region) => ({ agentId: `agent_${region}_1`, convoId: 'c1', record: { userName: 'Dana' } }),
    key: ({ agentId, convoId }) => keyOfPair(agentId, convoId),
    schema: closedObject(() => ({
      agentId: requiredText,
      convoId: requiredText,
      record: ConversationSchema,
    })),
    complete: (given, { newId, first }) => {
      const agentId = given.agentId ?? first('agents');
      const convoId = given.convoId ?? newId((id) => keyOfPair(agentId, id));
      const ID = `${agentId}_${convoId}`;
      return { agentId, convoId, record: { ID, userID: ID, ...given.record } };
    },
  },
  leads: {
    prefix: 'lead',
    example: (region) => ({ id: 'lead_of_dana', agentId: `agent_${region}_1` }),
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
    example: (region) => ({ sid: 'PN1', imported: true, workspaceId: `workspace_${region}_1` }),
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

/** Whether another workspace is primary. Mostly, the first one is. */
function hasPrimary({ workspaces }: FakeRegionState, id: string): boolean {
  for (const other of workspaces.values()) if (other.isPrimary && other.id !== id) return true;
  return false;
}

/** One key of two ids: that of a conversation in its collection. A slash within an id is escaped. */
export function keyOfPair(agentId: string, id: string): string {
  return [agentId, id].map((part) => part.replace(/[%/]/g, encodeURIComponent)).join('/');
}
