import { byRegion, type Region } from '../../../utils/regions.js';
import { collectionNames, type WordFor, wordFor } from './kinds.js';
import type { CollectionName, NewRecordOf, RecordTypes } from './records.js';
import type { Store } from './region-store.js';

type AddMethods = {
  readonly [Name in CollectionName as WordFor<Name>]: (record?: NewRecordOf<Name>) => RecordTypes[Name];
};

/** Adds records to one region: `tool({ id: 'crm' })`. */
export interface RegionAdd extends AddMethods {}

/**
 * Adds records to region `eu`, or to a named one: `add.tool(…)`, `add.na.tool(…)`. Each method takes the fields
 * that matter to the test and fills in the rest. A record with the same id is replaced.
 *
 * @throws {ConfigurationError} If a field is wrong or refers to a record that does not exist, or if the agent
 * already has a variable with the key (4.2).
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
  const regions = byRegion((region) => {
    const methods = collectionNames.map((name) => [wordFor(name), methodOf(region, name)] as const);
    // `Object.fromEntries` forgets which name has which method.
    return Object.fromEntries(methods) as unknown as RegionAdd;
  });
  return { ...regions.eu, ...regions };
}
