import * as z from 'zod/v4/mini';
import { requiredDictionary } from '../../../schemas/fields.js';
import { byRegion, REGIONS, type Region } from '../../../utils/regions.js';
import { checkName, checkOptions } from '../../../validation/check-options.js';
import { copyOf } from '../../fixtures/overlay.js';
import { Collection } from './collection.js';
import { collectionNames, kinds, ownerIdOf } from './kinds.js';
import type { CollectionName, NewRecordOf, RecordTypes } from './records.js';

/** The records of one region, for the code that changes them. */
export type RegionStore = { readonly [Name in CollectionName]: Collection<Name> };

/** All records of a fake, by region. */
export type Store = { readonly [Name in Region]: RegionStore };

/** Creates the empty collections of both regions. */
export function createStore(onChange: () => void): Store {
  return byRegion((region) => {
    // Filled in the loop: each collection refers to the others.
    const state = {} as RegionStore;
    for (const name of collectionNames) {
      Object.assign(state, { [name]: new Collection(name, { region, state, onChange }) });
    }
    return state;
  });
}

/** Removes every record. The maps stay, so that a test's reference remains live. */
export function clearStore(store: Store): void {
  for (const region of REGIONS) {
    for (const name of collectionNames) store[region][name].clear();
  }
}

/** Deletes a record, and with it all that it owns, but for what outlives its owner. */
export function deleteWithOwned(state: RegionStore, name: CollectionName, key: string): void {
  for (const owned of collectionNames) {
    const { owner, outlivesOwner } = kinds[owned];
    if (owner !== name || outlivesOwner === true) continue;
    for (const [ownedKey, record] of state[owned]) {
      if (ownerIdOf(record, owner) === key) deleteWithOwned(state, owned, ownedKey);
    }
  }
  state[name].delete(key);
}

/** The records of a fake as JSON: what `fake.snapshot()` returns and `fake.restore()` takes. */
export interface FakeSnapshot {
  /** The version of this format. */
  readonly version: 1;
  /** The records by region and collection. */
  readonly records: {
    readonly [Name in Region]: { readonly [Each in CollectionName]: readonly RecordTypes[Each][] };
  };
}

/** Copies all records into plain lists. */
export function takeSnapshot(store: Store): FakeSnapshot {
  const records = byRegion((region) =>
    Object.fromEntries(collectionNames.map((name) => [name, [...store[region][name].values()]])),
  );
  // `Object.fromEntries` forgets which name has which list.
  return copyOf({ version: 1, records }) as unknown as FakeSnapshot;
}

/** Replaces all records by those of a snapshot, which is checked before anything changes. */
export function restoreSnapshot(store: Store, snapshot: FakeSnapshot): void {
  const regions = z.strictObject(byRegion(listsSchema));
  const schema = z.strictObject({ version: z.literal(1), records: regions });
  checkOptions(schema, snapshot, { of: 'fake.restore', path: 'snapshot' });
  const { records } = copyOf(snapshot);
  const lists = REGIONS.flatMap((region) =>
    collectionNames.map((name) => [store[region][name], records[region][name] ?? []] as const),
  );
  for (const [collection, list] of lists) for (const record of list) collection.checkShape(record);
  clearStore(store);
  for (const [collection, list] of lists) for (const record of list) collection.putBack(record);
}

/** The schema of lists of records, by collection. Each record is checked on its own. */
export function listsSchema(): z.core.$ZodType {
  const lists = collectionNames.map((name) => [name, z.optional(z.array(requiredDictionary))] as const);
  return z.strictObject(Object.fromEntries(lists));
}

/**
 * The records of a fake by the names of their collections. `/_fake/records` offers the same over HTTP. An id
 * is the key in `fake.state`; for a conversation, `<agentId>/<convoId>`.
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
