import { ConfigurationError } from '../errors/index.js';
import { isObject } from '../ground/json.js';
import { REGIONS, type Region } from '../ground/regions.js';
import { checkOptions } from '../validation/options.js';
import type { Changes } from './changes.js';
import type { FakeChoices } from './choices.js';
import { overlay } from './fixtures/overlay.js';
import { checkName } from './input.js';
import {
  type CollectionName,
  type Completion,
  collectionNames,
  type Input,
  type Kind,
  kinds,
  type MutableRegionState,
  type NewRecordOf,
  type NewRecordTypes,
  type RecordOf,
  type RecordTypes,
  type RecordWords,
} from './records.js';

/** The records of one kind in one region: a map that completes and checks new records, and reports its changes. */
export class Collection<Held extends object, New extends object> extends Map<string, Held> {
  readonly #kind: Kind<Held, New>;
  readonly #completion: Omit<Completion, 'newId'>;
  readonly #onChange: () => void;
  #lastId = 0;

  constructor(kind: Kind<Held, New>, completion: Omit<Completion, 'newId'>, onChange: () => void) {
    super();
    this.#kind = kind;
    this.#completion = completion;
    this.#onChange = onChange;
  }

  /** Completes, checks and adds a record. One with the same key is replaced. */
  add(given: Input<New>): Held {
    // A clone, because the caller may change its record later.
    const input = withoutUndefined(structuredClone(given));
    const newId = (): string => this.#newId();
    return this.put(this.#kind.complete(input, { ...this.#completion, newId }));
  }

  /** Checks a complete record and adds it. */
  put(record: Held): Held {
    const { one, schema, check, key } = this.#kind;
    checkOptions(schema, record, { of: `the ${one}` });
    this.#checkOwners(record);
    check?.(record, this.#completion.state);
    this.set(key(record), record);
    return record;
  }

  /** Merges fields into a record, at any depth; `undefined` removes a field. */
  change(id: string, fields: object): Held {
    const { one, key } = this.#kind;
    const before = this.get(id);
    if (before === undefined) throw unknownRecord(one, this.#completion.region, id, this);
    // The schema is checked below, before anything is stored.
    const after = overlay(before, fields) as Held;
    checkOptions(this.#kind.schema, after, { of: `the ${one}` });
    if (key(after) !== id) {
      throw new ConfigurationError(`The id of ${one} "${id}" cannot be changed.`, { option: 'id' });
    }
    return this.put(after);
  }

  override set(key: string, record: Held): this {
    super.set(key, record);
    this.#onChange();
    return this;
  }

  override delete(key: string): boolean {
    const wasThere = super.delete(key);
    if (wasThere) this.#onChange();
    return wasThere;
  }

  /** Removes all records; ids start again at 1. */
  override clear(): void {
    super.clear();
    this.#lastId = 0;
    this.#onChange();
  }

  #newId(): string {
    const { region, state } = this.#completion;
    for (;;) {
      this.#lastId += 1;
      const id = `${this.#kind.prefix}_${region}_${this.#lastId}`;
      // The key of a conversation begins with its agent.
      const isTaken = [...this.keys()].some((key) => key === id || key.endsWith(`/${id}`));
      if (!isTaken && !state.releasedForGood.has(id)) return id;
    }
  }

  /** Refuses a record that refers to another which does not exist. */
  #checkOwners(record: Held): void {
    const { region, state } = this.#completion;
    const owners = { agentId: 'agents', workspaceId: 'workspaces', orgId: 'orgs' } as const;
    const fields = Object.fromEntries(Object.entries(record)) as Readonly<Record<string, unknown>>;
    for (const [field, collection] of Object.entries(owners)) {
      const id = fields[field];
      if (typeof id !== 'string' || state[collection].has(id)) continue;
      throw unknownRecord(kinds[collection].one, region, id, state[collection]);
    }
  }
}

type Collections = {
  readonly [Name in CollectionName]: Collection<RecordTypes[Name], NewRecordTypes[Name]>;
};

/** The records of one region, for the code that changes them. */
export type RegionStore = Collections & Pick<MutableRegionState, 'releasedForGood'>;

/** All records of a fake, by region. */
export type Store = { readonly [Name in Region]: RegionStore };

/** Creates the empty collections of both regions. */
export function createStore({ conversationId }: FakeChoices, changes: Changes): Store {
  const createRegion = (region: Region): RegionStore => {
    const first: Completion['first'] = (collection) => {
      const id = state[collection].keys().next().value;
      if (id !== undefined) return id;
      const { one } = kinds[collection];
      throw new ConfigurationError(`Region ${region} has no ${one} yet. Add one first.`, { option: one });
    };
    const releasedForGood = new Set<string>();
    const onChange = (): void => changes.emit({ type: 'changed', what: 'records' });
    const createCollection = <Name extends CollectionName>(name: Name) => {
      // Read through the mapped type, which ties each name to its records.
      const table: { readonly [Each in CollectionName]: Kind<RecordTypes[Each], NewRecordTypes[Each]> } =
        kinds;
      const completion = {
        region,
        conversationId,
        first,
        get state() {
          return state;
        },
      };
      return new Collection<RecordTypes[Name], NewRecordTypes[Name]>(table[name], completion, onChange);
    };
    const entries = collectionNames.map((name) => [name, createCollection(name)] as const);
    // `Object.fromEntries` forgets which name has which collection.
    const collections = Object.fromEntries(entries) as unknown as Collections;
    const state: RegionStore = { ...collections, releasedForGood };
    return state;
  };
  return { eu: createRegion('eu'), na: createRegion('na') };
}

/** Removes every record. The maps stay, so that a test's reference remains live. */
export function clearStore(store: Store): void {
  for (const region of REGIONS) {
    for (const name of collectionNames) store[region][name].clear();
    store[region].releasedForGood.clear();
  }
}

/** The records of a fake as JSON, by region and collection. Created by `fake.snapshot()`, for `fake.restore()`. */
export interface FakeSnapshot {
  /** The version of this format. */
  readonly version: 1;
  /** The records by region and collection. */
  readonly records: {
    readonly [Name in Region]: { readonly [Each in CollectionName]: readonly RecordTypes[Each][] } & {
      /** `sid` of each rented number that was released. */
      readonly releasedForGood: readonly string[];
    };
  };
}

/** Duplicates all records, as plain lists. */
export function takeSnapshot(store: Store): FakeSnapshot {
  const listRegion = (region: Region) => {
    const lists = collectionNames.map((name) => [name, [...store[region][name].values()]] as const);
    return { ...Object.fromEntries(lists), releasedForGood: [...store[region].releasedForGood] };
  };
  const snapshot = { version: 1, records: { eu: listRegion('eu'), na: listRegion('na') } };
  // `Object.fromEntries` forgets which name has which list.
  return structuredClone(snapshot) as unknown as FakeSnapshot;
}

/** Replaces all records by those of a snapshot. */
export function restoreSnapshot(store: Store, snapshot: FakeSnapshot): void {
  if (!isObject(snapshot) || snapshot.version !== 1) {
    throw new ConfigurationError('This is not a snapshot of a fake: expected { version: 1, records }.', {
      option: 'snapshot',
    });
  }
  const { records } = structuredClone(snapshot);
  clearStore(store);
  for (const region of REGIONS) {
    for (const name of collectionNames) restoreCollection(store[region], records[region], name);
    for (const sid of records[region].releasedForGood) store[region].releasedForGood.add(sid);
  }
}

function restoreCollection<Name extends CollectionName>(
  collections: Collections,
  lists: { readonly [Each in CollectionName]: readonly RecordTypes[Each][] },
  name: Name,
): void {
  const collection: Collection<RecordTypes[Name], NewRecordTypes[Name]> = collections[name];
  for (const record of lists[name]) collection.put(record);
}

/**
 * The records of a fake by the names of their collections. `/_fake/records` offers the same over HTTP. Every id is the
 * key in `fake.state`; for conversations, the agent's id and the conversation's with a slash between.
 *
 * @example
 * ```ts
 * import { createFakePlatform } from 'agent-platform-sdk/testing';
 *
 * const { records } = createFakePlatform();
 * records.add('eu', 'tools', { id: 'crm', name: 'CRM' });
 * records.change('eu', 'tools', 'crm', { name: 'CRM lookup' });
 * console.log(records.list('eu', 'tools').map(({ name }) => name)); // ['find_invoice', 'CRM lookup']
 * records.remove('eu', 'tools', 'crm'); // true
 * ```
 */
export class FakeRecords {
  readonly #store: Store;

  /** @internal */
  constructor(store: Store) {
    this.#store = store;
  }

  /** Lists the records of a collection, in the order in which they were added. */
  list<Name extends CollectionName>(region: Region, collection: Name): readonly RecordOf<Name>[] {
    return [...this.#collection(region, collection).values()];
  }

  /**
   * Adds a record, like `fake.add`. A record with the same id is replaced.
   *
   * @throws {ConfigurationError} If a field is wrong, or refers to a record that does not exist.
   */
  add<Name extends CollectionName>(
    region: Region,
    collection: Name,
    record: NewRecordOf<Name>,
  ): RecordOf<Name> {
    return this.#collection(region, collection).add(record);
  }

  /**
   * Merges fields into a record, at any depth. A list is replaced, `undefined` removes a field.
   *
   * @throws {ConfigurationError} If the record does not exist, a field is wrong, or the id would change.
   */
  change<Name extends CollectionName>(
    region: Region,
    collection: Name,
    id: string,
    fields: object,
  ): RecordOf<Name> {
    return this.#collection(region, collection).change(id, fields);
  }

  /** Removes one record; records that belong to it stay. Returns false if it did not exist. */
  remove(region: Region, collection: CollectionName, id: string): boolean {
    return this.#collection(region, collection).delete(id);
  }

  #collection<Name extends CollectionName>(
    region: Region,
    name: Name,
  ): Collection<RecordTypes[Name], NewRecordTypes[Name]> {
    checkName('region', region, REGIONS);
    checkName('collection', name, collectionNames);
    const collections: Collections = this.#store[region];
    return collections[name];
  }
}

type AddMethods = {
  readonly [Name in CollectionName as RecordWords[Name]]: (record?: NewRecordOf<Name>) => RecordTypes[Name];
};

/** Adds records to one region: `tool({ id: 'crm' })`. */
export interface RegionAdd extends AddMethods {}

/**
 * Adds records to region `eu`, or to the region that is named: `add.tool(…)`, `add.na.tool(…)`. Each method takes the fields
 * that matter to the test and fills in the rest. A record with the same id is replaced.
 *
 * @throws {ConfigurationError} If a field is wrong, refers to a record that does not exist, if an agent already has a
 *   variable with the key (4.2), or if a number was released for good.
 *
 * @example
 * ```ts
 * import { createFakePlatform } from 'agent-platform-sdk/testing';
 *
 * const { add } = createFakePlatform({ seed: 'empty' });
 * add.workspace({ id: 'acme', secret: 'secret-of-acme' });
 * add.phoneNumber({ sid: 'PN1', imported: true });
 * add.agent({ id: 'bot' });
 * add.variable({ key: 'plan' });
 * add.tool({ id: 'crm_lookup' });
 * add.defaultTool({ id: 'web-search' });
 * add.conversation({ convoId: 'c1', record: { state: 'requested_chat' } });
 * add.lead({ id: 'lead_1' });
 * add.org({ id: 'acme_org' });
 * add.client({ orgId: 'acme_org', name: 'Dana' });
 * add.team({ orgId: 'acme_org', label: 'Support' });
 * ```
 */
export interface FakeAdd extends RegionAdd {
  /** Adds to the region `eu`. */
  readonly eu: RegionAdd;
  /** Adds to the region `na`. */
  readonly na: RegionAdd;
}

/** Creates `fake.add`. */
export function createAdd(store: Store): FakeAdd {
  const methodOf = <Name extends CollectionName>(region: Region, name: Name) => {
    const collections: Collections = store[region];
    // `{}` is a new record of every kind: each field has a default.
    return (record: NewRecordOf<Name> = {} as NewRecordOf<Name>) => collections[name].add(record);
  };
  const createRegion = (region: Region): RegionAdd => {
    const methods = collectionNames.map((name) => [kinds[name].one, methodOf(region, name)] as const);
    // `Object.fromEntries` forgets which name has which method.
    return Object.fromEntries(methods) as unknown as RegionAdd;
  };
  const eu = createRegion('eu');
  return { ...eu, eu, na: createRegion('na') };
}

/** The error for a record that does not exist. */
export function unknownRecord(
  one: string,
  region: Region,
  id: string,
  records: ReadonlyMap<string, unknown>,
): ConfigurationError {
  const some = [...records.keys()].slice(0, 10).join(', ');
  const known = some === '' ? 'There are none.' : `Known: ${some}${records.size > 10 ? ', …' : ''}.`;
  return new ConfigurationError(`Region ${region} has no ${one} "${id}". ${known}`, { option: one });
}

/** Drops fields that are undefined, so that their defaults apply. */
function withoutUndefined<New extends object>(value: Input<New>): New {
  // The dropped fields were optional.
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as New;
}
