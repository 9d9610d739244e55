import type { Region } from '../ground/regions.js';
import { checkKeyIsFree, type FakeAdd } from './add.js';
import type { Changes } from './changes.js';
import { checkInput, InputError } from './check-input.js';
import { overlay } from './fixtures/fixtures.js';
import type { FakeRegionState, RegionRecords } from './records.js';
import { type CollectionName, collections, existing, keyOf, missingFields, type World } from './state.js';

/** The name of a collection of records: a key of `fake.state.eu` and of the records to begin with. */
export type { CollectionName } from './state.js';

/** A record as the state of the fake holds it. */
export type RecordOf<Name extends CollectionName> =
  FakeRegionState[Name] extends ReadonlyMap<string, infer Held> ? Held : never;
/** A record to add: fields that are left out are filled in. */
export type NewRecordOf<Name extends CollectionName> = NonNullable<RegionRecords[Name]>[number];

/**
 * The records of a fake by the names of their collections: what `/_fake/records` does over HTTP, in process. Every id is
 * the key in `fake.state`: for conversations, the agent's id and the conversation's with a slash between.
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
  readonly #world: World;
  readonly #add: FakeAdd;
  readonly #changes: Changes;

  /** @internal */
  constructor(world: World, add: FakeAdd, changes: Changes) {
    this.#world = world;
    this.#add = add;
    this.#changes = changes;
  }

  /** Lists the records of a collection, in the order in which they were added. */
  list<Name extends CollectionName>(region: Region, collection: Name): readonly RecordOf<Name>[] {
    return [...this.#held(region, collection).values()];
  }

  /**
   * Adds a record, as `fake.add` does. One with an id that is there already takes its place.
   *
   * @throws {TypeError} When a field is wrong, or names a record that is not there.
   */
  add<Name extends CollectionName>(
    region: Region,
    collection: Name,
    record: NewRecordOf<Name>,
  ): RecordOf<Name> {
    this.#held(region, collection);
    checkRecord(collection, record);
    // The row's own method takes what the row's schema takes; the compiler cannot follow the pair.
    const added = this.#add[region][collections[collection].one](record as never) as RecordOf<Name>;
    this.#changes.tell('changed', 'records');
    return added;
  }

  /**
   * Lays fields over a record, at any depth; a list is given whole, and `undefined` takes a field away that the rules can do without.
   *
   * @throws {TypeError} When the record is not there, a field is wrong or names a record that is not there, or the id would
   *   be another.
   */
  change<Name extends CollectionName>(
    region: Region,
    collection: Name,
    id: string,
    fields: object,
  ): RecordOf<Name> {
    const held = this.#held(region, collection);
    const before = existing(region, collections[collection].one, held, id);
    // Checked in the next line.
    const after = overlay(before, fields) as RecordOf<Name> & object;
    checkRecord(collection, after);
    const missing = missingFields(collection, after);
    if (missing.length > 0) throw new InputError(`The record does not fit ${collection}`, missing);
    if (keyOf(collection, after) !== id) throw new TypeError(`The id of "${id}" cannot be changed.`);
    this.#checkNames(region, collection, after);
    held.set(id, after);
    this.#changes.tell('changed', 'records');
    return after;
  }

  /**
   * Removes a record, and no other: what belongs to it stays, and belongs to nobody.
   *
   * @returns False where it was not there.
   */
  remove(region: Region, collection: CollectionName, id: string): boolean {
    const wasThere = this.#held<CollectionName>(region, collection).delete(id);
    if (wasThere) this.#changes.tell('changed', 'records');
    return wasThere;
  }

  #held<Name extends CollectionName>(region: Region, collection: Name): Map<string, RecordOf<Name>> {
    const state = Object.hasOwn(this.#world.state, region) ? this.#world.state[region] : undefined;
    if (state === undefined) throw new TypeError(`region: there is no "${region}"; there are eu, na.`);
    if (!Object.hasOwn(collections, collection)) {
      const known = Object.keys(collections).join(', ');
      throw new TypeError(`collection: there is no "${collection}"; there are ${known}.`);
    }
    // The types of a collection and of its records are those of one row.
    return state[collection] as unknown as Map<string, RecordOf<Name>>;
  }

  /** Refuses a record that names another which is not there. */
  #checkNames(region: Region, collection: CollectionName, record: object): void {
    const { agents, workspaces } = this.#world.state[region];
    const { agentId, workspaceId, key } = record as Readonly<Record<string, string | undefined>>;
    if (agentId !== undefined) existing(region, 'agent', agents, agentId);
    if (workspaceId !== undefined) existing(region, 'workspace', workspaces, workspaceId);
    if (collection === 'variables') {
      checkKeyIsFree(this.#world.state[region].variables, agentId, String(key), keyOf(collection, record));
    }
  }
}

function checkRecord(collection: CollectionName, record: unknown): void {
  const checked = checkInput(collections[collection].schema(), record);
  if (!checked.ok) throw new InputError(`The record does not fit ${collection}`, checked.issues);
}
