import { ConfigurationError } from '../../../errors/index.js';
import { ConversationSchema } from '../../../schemas/conversation.js';
import { isObject } from '../../../utils/json.js';
import { hintFor } from '../../../utils/suggest.js';
import { checkOptions } from '../../../validation/check-options.js';
import { checkFieldNames, copyOf, overlay } from '../../fixtures/overlay.js';
import { type Kind, keyOf, kinds, ownerFields, ownerIdOf, type RecordPlace, wordFor } from './kinds.js';
import type { CollectionName, NewRecordOf, RecordTypes } from './records.js';

type CollectionPlace = RecordPlace & { readonly onChange: () => void };

/** The records of one kind in one region. Completes and checks new ones, and reports changes. */
export class Collection<Name extends CollectionName> extends Map<string, RecordTypes[Name]> {
  readonly #name: Name;
  readonly #kind: Kind<Name>;
  readonly #place: CollectionPlace;
  /** The keys of the records by what only one of them may have. */
  readonly #unique = new Map<string, string>();
  #lastId = 0;

  constructor(name: Name, place: CollectionPlace) {
    super();
    this.#name = name;
    this.#kind = kinds[name];
    this.#place = place;
  }

  /** Completes, checks and adds a record. One with the same key is replaced. */
  add(given: NewRecordOf<Name>): RecordTypes[Name] {
    this.#checkNames(given);
    // A copy, because the caller may change its record later. Without fields that are undefined.
    const known = this.#identify({ ...this.#ownerOf(given), ...copyOf<object>(given) });
    // `put` checks it.
    return this.put(overlay(this.#kind.defaults(known, this.#place), known) as RecordTypes[Name]);
  }

  /** Checks a complete record and adds it. */
  put(record: RecordTypes[Name]): RecordTypes[Name] {
    this.checkShape(record);
    this.#checkOwner(record);
    const { unique } = this.#kind;
    const key = keyOf(this.#name, record);
    const holder = unique && this.holderOf(unique(record));
    if (holder !== undefined && holder !== key) {
      const word = wordFor(this.#name);
      const message = `The agent already has a ${word} with the same key: "${holder}". Choose another key.`;
      throw new ConfigurationError(message, { option: 'key' });
    }
    this.set(key, record);
    return record;
  }

  /** Refuses a record of another shape, and an id that no path can have: a URL drops such segments. */
  checkShape(record: object): void {
    const of = `the ${wordFor(this.#name)}`;
    checkOptions(this.#kind.schema, record, { of });
    const { idField } = this.#kind;
    const id = String((record as Readonly<Record<string, unknown>>)[idField]);
    if (!/^\.{0,2}$/.test(id)) return;
    throw new ConfigurationError(`${of}: no path can have the id "${id}".`, { option: idField });
  }

  /** Adds a record that `checkShape` has accepted, whatever it refers to: an operation may have removed that. */
  putBack(record: object): void {
    const checked = record as RecordTypes[Name];
    this.set(keyOf(this.#name, checked), checked);
  }

  /** Returns the key of the record that has a unique value, such as the key of a variable. */
  holderOf(unique: string): string | undefined {
    return this.#unique.get(unique);
  }

  /** Merges fields into a record, at any depth; `undefined` removes a field. */
  change(id: string, fields: object): RecordTypes[Name] {
    const before = this.get(id);
    if (before === undefined) throw unknownRecord(this.#name, id, this.#place);
    this.#checkNames(fields);
    // `put` checks it.
    const after = overlay(before, fields) as RecordTypes[Name];
    if (keyOf(this.#name, after) !== id) {
      const message = `The id of ${wordFor(this.#name)} "${id}" cannot be changed.`;
      throw new ConfigurationError(message, { option: 'id' });
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

  /** Gives a new record an unused id, the same in every run: `tool_eu_1`, `tool_eu_2`. */
  #identify(fields: object): RecordTypes[Name] {
    const { idField, prefix = wordFor(this.#name) } = this.#kind;
    // Only its id and its owners are read before it is complete.
    if (idField in fields) return fields as RecordTypes[Name];
    for (;;) {
      this.#lastId += 1;
      const id = `${prefix}_${this.#place.region}_${this.#lastId}`;
      const known = { ...fields, [idField]: id } as object as RecordTypes[Name];
      if (!this.has(keyOf(this.#name, known))) return known;
    }
  }

  /** The default owner of a new record: the first of its kind. */
  #ownerOf(given: object): object {
    const { owner } = this.#kind;
    if (owner === undefined || ownerIdOf(given, owner) !== undefined) return {};
    const { region, state } = this.#place;
    const id = state[owner].keys().next().value;
    if (id !== undefined) return { [ownerFields[owner]]: id };
    const word = wordFor(owner);
    throw new ConfigurationError(`Region ${region} has no ${word} yet. Add one first.`, { option: word });
  }

  #checkNames(fields: object): void {
    const of = `the ${wordFor(this.#name)}`;
    checkFieldNames(of, fields, Object.keys(this.#kind.schema.shape));
    // Of a conversation.
    const { record } = fields as { readonly record?: unknown };
    if (isObject(record)) checkFieldNames(`${of}: record`, record, Object.keys(ConversationSchema.shape));
  }

  /** Refuses a record whose owner does not exist. */
  #checkOwner(record: RecordTypes[Name]): void {
    const { owner } = this.#kind;
    const id = owner && ownerIdOf(record, owner);
    if (owner !== undefined && id !== undefined && !this.#place.state[owner].has(id)) {
      throw unknownRecord(owner, id, this.#place);
    }
  }
}

/** The error for a record that does not exist. */
export function unknownRecord(name: CollectionName, id: string, place: RecordPlace): ConfigurationError {
  const ids = [...place.state[name].keys()];
  const known = ids.length === 0 ? 'There are none.' : hintFor(id, ids.slice(0, 10));
  const word = wordFor(name);
  return new ConfigurationError(`Region ${place.region} has no ${word} "${id}". ${known}`, { option: word });
}
