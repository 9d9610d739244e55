import { ConfigurationError } from '../../../errors/index.js';
import { isObject } from '../../../utils/json.js';
import { REGIONS, type Region } from '../../../utils/regions.js';
import { didYouMean } from '../../../utils/suggest.js';
import { checkName, checkOptions, refuseOptions } from '../../../validation/options.js';
import { overlay } from '../../fixtures/overlay.js';
import type { Changes } from '../changes.js';
import type { FakeChoices } from '../choices.js';
import {
  type CollectionName,
  type Completion,
  collectionNames,
  type FakeRegionState,
  type Kind,
  kinds,
  type NewRecordOf,
  type NewRecordTypes,
  type RecordTypes,
  type WordFor,
  wordFor,
} from './records.js';

/** The region of a collection, with the other records there. */
interface Place extends Pick<Completion, 'region' | 'state' | 'conversationId'> {
  readonly onChange: () => void;
}

/** The records of one kind in one region: a map that completes and checks new records, and reports its changes. */
export class Collection<Name extends CollectionName> extends Map<string, RecordTypes[Name]> {
  readonly #name: Name;
  readonly #kind: Kind<Name>;
  readonly #place: Place;
  #lastId = 0;

  constructor(name: Name, place: Place) {
    super();
    this.#name = name;
    this.#kind = kinds[name];
    this.#place = place;
  }

  /** Completes, checks and adds a record. One with the same key is replaced. */
  add(given: NewRecordOf<Name>): RecordTypes[Name] {
    this.#checkNames(given);
    // A clone, because the caller may change its record later. Fields that are undefined get their defaults.
    const fields = Object.entries(structuredClone(given)).filter(([, field]) => field !== undefined);
    const record = this.#kind.complete(Object.fromEntries(fields) as NewRecordTypes[Name], {
      ...this.#place,
      newId: () => this.#newId(),
      first: (collection) => this.#firstOf(collection),
    });
    return this.put(record);
  }

  /** Checks a complete record and adds it. */
  put(record: RecordTypes[Name]): RecordTypes[Name] {
    const { schema, check, key } = this.#kind;
    checkOptions(schema, record, { of: `the ${wordFor(this.#name)}` });
    this.#checkOwners(record);
    check?.(record, this.#place.state);
    this.set(key(record), record);
    return record;
  }

  /** Merges fields into a record, at any depth; `undefined` removes a field. */
  change(id: string, fields: object): RecordTypes[Name] {
    const { region, state } = this.#place;
    const before = this.get(id);
    if (before === undefined) throw unknownRecord(this.#name, region, id, state);
    this.#checkNames(fields);
    // `put` checks it.
    const after = overlay(before, fields) as RecordTypes[Name];
    if (this.#kind.key(after) !== id) {
      throw new ConfigurationError(`The id of ${wordFor(this.#name)} "${id}" cannot be changed.`, {
        option: 'id',
      });
    }
    return this.put(after);
  }

  override set(key: string, record: RecordTypes[Name]): this {
    super.set(key, record);
    this.#place.onChange();
    return this;
  }

  override delete(key: string): boolean {
    const wasThere = super.delete(key);
    if (wasThere) this.#place.onChange();
    return wasThere;
  }

  /** Removes all records; ids start again at 1. */
  override clear(): void {
    super.clear();
    this.#lastId = 0;
    this.#place.onChange();
  }

  #newId(): string {
    for (;;) {
      this.#lastId += 1;
      const id = `${this.#kind.prefix}_${this.#place.region}_${this.#lastId}`;
      // The key of a conversation begins with its agent.
      const isTaken = [...this.keys()].some((key) => key === id || key.endsWith(`/${id}`));
      if (!isTaken) return id;
    }
  }

  #firstOf(collection: 'workspaces' | 'agents' | 'orgs'): string {
    const { region, state } = this.#place;
    const id = state[collection].keys().next().value;
    if (id !== undefined) return id;
    const word = wordFor(collection);
    throw new ConfigurationError(`Region ${region} has no ${word} yet. Add one first.`, { option: word });
  }

  /** Refuses a field that looks misspelt. Others are kept, like those of a newer service. */
  #checkNames(fields: object): void {
    const known = Object.keys(this.#kind.schema.shape);
    const problems = Object.keys(fields).flatMap((option) => {
      const meant = known.includes(option) ? undefined : didYouMean(option, known);
      return meant === undefined ? [] : [{ option, text: `is not a known option. ${meant}` }];
    });
    if (problems.length > 0) refuseOptions(`the ${wordFor(this.#name)}`, problems);
  }

  /** Refuses a record that refers to another which does not exist. */
  #checkOwners(record: RecordTypes[Name]): void {
    const { region, state } = this.#place;
    for (const [field, id] of Object.entries(record as object)) {
      const owner = owners.get(field);
      // The schema has checked that it is a string.
      if (owner !== undefined && !state[owner].has(String(id))) {
        throw unknownRecord(owner, region, String(id), state);
      }
    }
  }
}

/** The fields that name the owner of a record. */
const owners = /* @__PURE__ */ new Map<string, 'agents' | 'workspaces' | 'orgs'>([
  ['agentId', 'agents'],
  ['workspaceId', 'workspaces'],
  ['orgId', 'orgs'],
]);

/** The records of one region, for the code that changes them. */
export type RegionStore = { readonly [Name in CollectionName]: Collection<Name> };

/** All records of a fake, by region. */
export type Store = { readonly [Name in Region]: RegionStore };

/** Creates the empty collections of both regions. */
export function createStore({ conversationId }: FakeChoices, changes: Changes): Store {
  const onChange = (): void => changes.emit({ type: 'changed', what: 'records' });
  const createRegion = (region: Region): RegionStore => {
    // Filled in the loop: each collection refers to the others.
    const state = {} as RegionStore;
    for (const name of collectionNames) {
      Object.assign(state, { [name]: new Collection(name, { region, state, conversationId, onChange }) });
    }
    return state;
  };
  return { eu: createRegion('eu'), na: createRegion('na') };
}

/** Removes every record. The maps stay, so that a test's reference remains live. */
export function clearStore(store: Store): void {
  for (const region of REGIONS) {
    for (const name of collectionNames) store[region][name].clear();
  }
}

/** The records of a fake as JSON, by region and collection. Created by `fake.snapshot()`, for `fake.restore()`. */
export interface FakeSnapshot {
  /** The version of this format. */
  readonly version: 1;
  /** The records by region and collection. */
  readonly records: {
    readonly [Name in Region]: { readonly [Each in CollectionName]: readonly RecordTypes[Each][] };
  };
}

/** Duplicates all records, as plain lists. */
export function takeSnapshot(store: Store): FakeSnapshot {
  const listRegion = (region: Region) =>
    Object.fromEntries(collectionNames.map((name) => [name, [...store[region][name].values()]]));
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
  const restore = <Name extends CollectionName>(region: Region, name: Name): void => {
    for (const record of records[region][name]) store[region][name].put(record);
  };
  clearStore(store);
  for (const region of REGIONS) for (const name of collectionNames) restore(region, name);
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
  list<Name extends CollectionName>(region: Region, collection: Name): readonly RecordTypes[Name][] {
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
  ): RecordTypes[Name] {
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
  ): RecordTypes[Name] {
    return this.#collection(region, collection).change(id, fields);
  }

  /** Removes one record; records that belong to it stay. Returns false if it did not exist. */
  remove(region: Region, collection: CollectionName, id: string): boolean {
    return this.#collection(region, collection).delete(id);
  }

  #collection<Name extends CollectionName>(region: Region, name: Name): Collection<Name> {
    checkName('region', region, REGIONS);
    checkName('collection', name, collectionNames);
    return this.#store[region][name];
  }
}

type AddMethods = {
  readonly [Name in CollectionName as WordFor<Name>]: (record?: NewRecordOf<Name>) => RecordTypes[Name];
};

/** Adds records to one region: `tool({ id: 'crm' })`. */
export interface RegionAdd extends AddMethods {}

/**
 * Adds records to region `eu`, or to the region that is named: `add.tool(…)`, `add.na.tool(…)`. Each method takes
 * the fields that matter to the test and fills in the rest. A record with the same id is replaced.
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
    // `{}` is a new record of every kind: each field has a default.
    return (record: NewRecordOf<Name> = {} as NewRecordOf<Name>) => store[region][name].add(record);
  };
  const createRegion = (region: Region): RegionAdd => {
    const methods = collectionNames.map((name) => [wordFor(name), methodOf(region, name)] as const);
    // `Object.fromEntries` forgets which name has which method.
    return Object.fromEntries(methods) as unknown as RegionAdd;
  };
  const eu = createRegion('eu');
  return { ...eu, eu, na: createRegion('na') };
}

/** The error for a record that does not exist. */
export function unknownRecord(
  name: CollectionName,
  region: Region,
  id: string,
  state: FakeRegionState,
): ConfigurationError {
  const ids = [...state[name].keys()];
  const known =
    ids.length === 0
      ? 'There are none.'
      : `Known: ${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ', …' : ''}.`;
  const word = wordFor(name);
  return new ConfigurationError(`Region ${region} has no ${word} "${id}". ${known}`, { option: word });
}
