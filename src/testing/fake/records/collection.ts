import { ConfigurationError } from '../../../errors/index.js';
import type { Region } from '../../../utils/regions.js';
import { checkOptions } from '../../../validation/options.js';
import { checkFieldNames, overlay } from '../../fixtures/overlay.js';
import { type Completion, type Kind, kinds, wordFor } from './kinds.js';
import type { CollectionName, FakeRegionState, NewRecordOf, NewRecordTypes, RecordTypes } from './records.js';

/** The region of a collection, with the other records there. */
interface Place extends Pick<Completion, 'region' | 'state'> {
  readonly onChange: () => void;
}

/** The records of one kind in one region. Completes and checks new ones, and reports changes. */
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

  #checkNames(fields: object): void {
    checkFieldNames(`the ${wordFor(this.#name)}`, fields, Object.keys(this.#kind.schema.shape));
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
