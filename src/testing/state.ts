import * as z from 'zod/mini';
import type { Issue } from '../ground/issues.js';
import type { Region } from '../ground/regions.js';
import { ConversationSchema } from '../schemas/conversation.js';
import { type DefaultTool, DefaultToolSchema } from '../schemas/default-tool.js';
import { flag, text, texts } from '../schemas/leaf.js';
import { closedObject } from '../schemas/object.js';
import { OrgClientSchema } from '../schemas/org-client.js';
import { TeamSchema } from '../schemas/team.js';
import { type Tool, ToolSchema } from '../schemas/tool.js';
import { type Variable, VariableSchema } from '../schemas/variable.js';
import type { FakeChoices } from './choices.js';
import type {
  FakeAgent,
  FakeConversation,
  FakeLead,
  FakeOrg,
  FakePhoneNumber,
  FakeRegionState,
  FakeWorkspace,
  MutableRegionState,
  MutableState,
  RegionRecords,
  StartRecords,
} from './records.js';

/** The name of a collection, in the state and among the records to begin with. */
export type CollectionName = Exclude<keyof FakeRegionState, 'releasedForGood'> | keyof RegionRecords;

interface Collection {
  /** The method of `add` that takes one record. */
  readonly one: string;
  /** The beginning of the ids of new records: `default_tool_eu_1`. */
  readonly idPrefix: string;
  /** The key of a record in the collection. */
  readonly key: (record: never) => string;
  /** The fields without which the rules cannot work: each record that is held has them. */
  readonly required: readonly string[];
  /** Set where each record belongs to an agent, by its `agentId`, and goes with it. */
  readonly ofAgent?: true;
  /** Makes the schema of a new record that comes from a file. A fake that reads no file makes none. */
  readonly schema: () => z.core.$ZodType;
}

/**
 * Every collection of a region. Records to begin with are added in this order, so each may name those above it. A row that
 * the types of records.ts ask for and that is missing here does not compile.
 */
export const collections = {
  workspaces: {
    one: 'workspace',
    key: ({ id }: FakeWorkspace) => id,
    idPrefix: 'workspace',
    required: ['id', 'secret', 'isPrimary', 'ownerIds', 'memberIds'] satisfies (keyof FakeWorkspace)[],
    schema: () =>
      closedObject(() => ({ id: text, secret: text, isPrimary: flag, ownerIds: texts, memberIds: texts })),
  },
  orgs: {
    one: 'org',
    key: ({ id }: FakeOrg) => id,
    idPrefix: 'org',
    required: ['id', 'workspaceId', 'clients', 'teams'] satisfies (keyof FakeOrg)[],
    schema: () =>
      closedObject(() => ({
        id: text,
        workspaceId: text,
        clients: z.optional(z.array(z.partial(OrgClientSchema))),
        teams: z.optional(z.array(z.partial(TeamSchema))),
      })),
  },
  agents: {
    one: 'agent',
    key: ({ id }: FakeAgent) => id,
    idPrefix: 'agent',
    required: ['id', 'name', 'secret', 'workspaceId', 'platform', 'advanced'] satisfies (keyof FakeAgent)[],
    schema: () =>
      closedObject(() => ({
        id: text,
        name: text,
        secret: text,
        workspaceId: text,
        platform: z.optional(z.enum(['vg', 'vf'])),
        advanced: z.optional(closedObject(() => ({ serverUrl: text }))),
      })),
  },
  variables: {
    one: 'variable',
    key: ({ id }: Variable) => id,
    idPrefix: 'variable',
    required: ['id', 'key'] satisfies (keyof Variable)[],
    ofAgent: true,
    schema: () => z.partial(VariableSchema),
  },
  tools: {
    one: 'tool',
    key: ({ id }: Tool) => id,
    idPrefix: 'tool',
    required: ['id'] satisfies (keyof Tool)[],
    ofAgent: true,
    schema: () => z.partial(ToolSchema),
  },
  defaultTools: {
    one: 'defaultTool',
    key: ({ id, name = '' }: DefaultTool) => id ?? name,
    idPrefix: 'default_tool',
    required: [],
    schema: () => z.partial(DefaultToolSchema),
  },
  conversations: {
    one: 'conversation',
    key: ({ agentId, convoId }: FakeConversation) => conversationKey(agentId, convoId),
    idPrefix: 'convo',
    required: ['agentId', 'convoId', 'record'] satisfies (keyof FakeConversation)[],
    ofAgent: true,
    schema: () =>
      closedObject(() => ({
        agentId: text,
        convoId: text,
        record: z.optional(z.partial(ConversationSchema)),
      })),
  },
  leads: {
    one: 'lead',
    key: ({ id }: FakeLead) => id,
    idPrefix: 'lead',
    required: ['id', 'agentId'] satisfies (keyof FakeLead)[],
    ofAgent: true,
    schema: () => closedObject(() => ({ id: text, agentId: text })),
  },
  phoneNumbers: {
    one: 'phoneNumber',
    key: ({ sid }: FakePhoneNumber) => sid,
    idPrefix: 'number',
    required: ['sid', 'imported'] satisfies (keyof FakePhoneNumber)[],
    schema: () => closedObject(() => ({ sid: text, imported: flag, workspaceId: text })),
  },
} as const satisfies Readonly<Record<CollectionName, Collection>>;

/** The names of all collections, in the order of the table. */
export function collectionNames(): readonly CollectionName[] {
  // `Object.keys` forgets the names.
  return Object.keys(collections) as CollectionName[];
}

/** The key of a record in its collection. */
export function keyOf(collection: CollectionName, record: object): string {
  // Each row reads the records of its own collection.
  return collections[collection].key(record as never);
}

/** The fields that a record lacks, and without which it cannot be held: an issue for each. */
export function missingFields(collection: CollectionName, record: object): Issue[] {
  const { required } = collections[collection] as Collection;
  const missing = required.filter(
    (name) => (record as Readonly<Record<string, unknown>>)[name] === undefined,
  );
  // An entry of the catalogue has an id or a name.
  if (required.length === 0 && keyOf(collection, record) === '') missing.push('id');
  return missing.map((name) => ({ path: [name], code: 'invalid_type', message: 'required' }));
}

type CollectionOfAgents = {
  [Name in CollectionName]: (typeof collections)[Name] extends { ofAgent: true } ? Name : never;
}[CollectionName];

/** The collections whose records belong to an agent. */
export function collectionsOfAgents(state: MutableRegionState): MutableRegionState[CollectionOfAgents][] {
  const names = collectionNames().filter((name) => 'ofAgent' in collections[name]);
  // Rows that say nothing of it have no such key.
  return (names as CollectionOfAgents[]).map((name) => state[name]);
}

/** Gives ids that are the same in every run: `tool_eu_1`, `tool_eu_2`, …; never one that was given before, until `reset`. */
export interface NewIds {
  /**
   * The next free id of a kind: `ids.next('tool', region, (id) => state.tools.has(id))`.
   *
   * @param isTaken - Tells whether a record has the id already.
   */
  next(kind: string, region: Region, isTaken: (id: string) => boolean): string;
}

class IdSource implements NewIds {
  readonly #last = new Map<string, number>();

  next(kind: string, region: Region, isTaken: (id: string) => boolean): string {
    const prefix = `${kind}_${region}_`;
    let number = this.#last.get(prefix) ?? 0;
    do number += 1;
    while (isTaken(`${prefix}${number}`));
    this.#last.set(prefix, number);
    return `${prefix}${number}`;
  }

  /** The number of the last id that was given, by its beginning. */
  get last(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#last);
  }

  /** Gives none of the ids that another fake has given. */
  goOnFrom(last: Readonly<Record<string, number>>): void {
    for (const [prefix, number] of Object.entries(last)) {
      this.#last.set(prefix, Math.max(number, this.#last.get(prefix) ?? 0));
    }
  }

  reset(): void {
    this.#last.clear();
  }
}

/** One fake behind its doors: its records, its ids, and the choices it was made with. */
export interface World {
  readonly state: MutableState;
  readonly ids: IdSource;
  readonly choices: FakeChoices;
}

export function createWorld(choices: FakeChoices): World {
  return { state: { eu: emptyRegion(), na: emptyRegion() }, ids: new IdSource(), choices };
}

function emptyRegion(): MutableRegionState {
  const maps = Object.fromEntries(collectionNames().map((name) => [name, new Map()]));
  // The names and types of the table, which `fromEntries` forgets.
  return { ...(maps as Omit<MutableRegionState, 'releasedForGood'>), releasedForGood: new Set() };
}

/** Empties every collection in place, so that what a test holds on to stays the live state. */
export function clearWorld({ state, ids }: World): void {
  for (const region of Object.values(state)) {
    for (const collection of Object.values(region)) collection.clear();
  }
  ids.reset();
}

/** The record that is named, or else the first. */
export function existing<Held>(
  region: Region,
  kind: string,
  records: ReadonlyMap<string, Held>,
  named: string | undefined,
): Held {
  const id = named ?? records.keys().next().value;
  if (id === undefined) throw new TypeError(`Region ${region} has no ${kind} yet: add one first.`);
  const record = records.get(id);
  if (record !== undefined) return record;
  const some = [...records.keys()].slice(0, 10).join(', ');
  const known = some === '' ? 'There is none' : `There is ${some}${records.size > 10 ? ', …' : ''}`;
  throw new TypeError(`Region ${region} has no ${kind} with the id "${id}". ${known}.`);
}

/** Two ids as one key that no other two ids make. */
export function conversationKey(agentId: string, convoId: string): string {
  return `${encodeURIComponent(agentId)}/${encodeURIComponent(convoId)}`;
}

/** The schema of {@link StartRecords}, for records that come from a file. */
export function startRecordsSchema(): z.ZodMiniType<StartRecords> {
  const lists = collectionNames().map(
    (name) => [name, z.optional(z.array(collections[name].schema()))] as const,
  );
  const region = z.optional(closedObject(() => Object.fromEntries(lists)));
  return closedObject(() => ({ eu: region, na: region }));
}
