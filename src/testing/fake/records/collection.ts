import { ConfigurationError } from '../../../errors/index.js';
import { ConversationSchema } from '../../../schemas/conversation.js';
import { isObject } from '../../../utils/json.js';
import type { Region } from '../../../utils/regions.js';
import { checkOptions } from '../../../validation/check-options.js';
import { checkFieldNames, overlay } from '../../fixtures/overlay.js';
import { type Completion, type Kind, kinds, wordFor } from './kinds.js';
import type { CollectionName, FakeRegionState, NewRecordOf, NewRecordTypes, RecordTypes } from './records.js';

/** The region of a collection, with the other records there. */
interface CollectionHome extends Pick<Completion, 'region' | 'state'> {
  readonly onChange: () => void;
}

/** The records of one kind in one region. Completes and checks new ones, and reports changes. */
export class Collection<Name extends CollectionName> extends Map<string, RecordTypes[Name]> {
  readonly #name: Name;
  readonly #kind: Kind<Name>;
  readonly #place: CollectionHome;
  /** The keys of the records by what only one of them may have. */
  readonly #unique = new Map<string, string>();
  #lastId = 0;

  constructor(name: Name, place: CollectionHome) {
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
      newId: (keyOf) => this.#newId(keyOf),
      first: (collection) => this.#firstOf(collection),
    });
    return this.put(record);
  }

  /** Checks a complete record and adds it. */
  put(record: RecordTypes[Name]): RecordTypes[Name] {
    this.checkShape(record);
    this.#checkOwners(record);
    const { unique, key } = this.#kind;
    const holder = unique && this.holderOf(unique(record));
    if (holder !== undefined && holder !== key(record)) {
      const word = wordFor(this.#name);
      const message = `The agent already has a ${word} with the key of this one, "${holder}" (4.2).`;
      throw new ConfigurationError(message, { option: 'key' });
    }
    this.set(key(record), record);
    return record;
  }

  /** Refuses a record of another shape. */
  checkShape(record: unknown): void {
    checkOptions(this.#kind.schema, record, { of: `the ${wordFor(this.#name)}` });
  }

  /** The key of the record that has what only one may have, such as a key among the variables of an agent. */
  holderOf(unique: string): string | undefined {
    return this.#unique.get(unique);
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
    this.#forgetUnique(key);
    super.set(key, record);
    const { unique } = this.#kind;
    if (unique !== undefined) this.#unique.set(unique(record), key);
    this.#place.onChange();
    return this;
  }

  override delete(key: string): boolean {
    this.#forgetUnique(key);
    const wasThere = super.delete(key);
    if (wasThere) this.#place.onChange();
    return wasThere;
  }

  /** Removes all records; ids start again at 1. */
  override clear(): void {
    super.clear();
    this.#unique.clear();
    this.#lastId = 0;
    this.#place.onChange();
  }

  #forgetUnique(key: string): void {
    const record = this.get(key);
    const unique = record && this.#kind.unique?.(record);
    if (unique !== undefined && this.#unique.get(unique) === key) this.#unique.delete(unique);
  }

  #newId(keyOf = (id: string): string => id): string {
    for (;;) {
      this.#lastId += 1;
      const id = `${this.#kind.prefix}_${this.#place.region}_${this.#lastId}`;
      if (!this.has(keyOf(id))) return id;
    }
  }

  #firstOf(collection: 'workspaces' | 'agents' | 'orgs'): string {
    const { region, state } = this.#place;
    const id = state[collection].keys().next().value;
    if (id !== undefined) return id;
    const word = wordFor(collection);
    throw new ConfigurationError(`Region ${region} has no ${word} yet. Add one first.`, { option: word });
  }

  #checkNames(fields: object): void {
    const of = `the ${wordFor(this.#name)}`;
    checkFieldNames(of, fields, Object.keys(this.#kind.schema.shape));
    // Of a conversation.
    const { record } = fields as { readonly record?: unknown };
    if (isObject(record)) checkFieldNames(`${of}: record`, record, Object.keys(ConversationSchema.shape));
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
