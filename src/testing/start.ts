import { REGIONS } from '../ground/regions.js';
import { RegionAdd } from './add.js';
import { defaultCatalogue } from './catalogue.js';
import type { FakePlatformOptions } from './fake-options.js';
import { createFixtures } from './fixtures/fixtures.js';
import type { RegionRecords } from './records.js';
import { seed, seedRegion } from './seed.js';
import type { World } from './world.js';

/** Adds records to region `eu`, or to the region that is named: `add.tool(…)`, `add.na.tool(…)`. */
export interface FakeAdd extends RegionAdd {
  /** Adds to the region `eu`. */
  readonly eu: RegionAdd;
  /** Adds to the region `na`. */
  readonly na: RegionAdd;
}

export function createAdd(world: World): FakeAdd {
  const [eu, na] = [new RegionAdd('eu', world), new RegionAdd('na', world)];
  return Object.assign(new RegionAdd('eu', world), { eu, na });
}

/** Puts the records into an empty world that the fake begins with. */
export function fill(
  world: World,
  add: FakeAdd,
  { seed: kind = 'default', regions }: FakePlatformOptions,
): void {
  for (const region of REGIONS) {
    for (const entry of defaultCatalogue) world.state[region].defaultTools.set(entry.id, entry);
    if (kind === 'default') seedRegion(add[region], seed[region], createFixtures({ region }));
    addRecords(add[region], regions?.[region] ?? {});
  }
}

function addRecords(add: RegionAdd, records: RegionRecords): void {
  const { workspaces = [] } = records;
  // Else the first would be primary too, before the one that says so is there.
  const others = workspaces.some(({ isPrimary }) => isPrimary) ? { isPrimary: false } : {};
  for (const workspace of workspaces) add.workspace({ ...others, ...workspace });
  for (const org of records.orgs ?? []) add.org(org);
  for (const agent of records.agents ?? []) add.agent(agent);
  for (const variable of records.variables ?? []) add.variable(variable);
  for (const tool of records.tools ?? []) add.tool(tool);
  for (const entry of records.defaultTools ?? []) add.defaultTool(entry);
  for (const conversation of records.conversations ?? []) add.conversation(conversation);
  for (const lead of records.leads ?? []) add.lead(lead);
  for (const number of records.phoneNumbers ?? []) add.phoneNumber(number);
}
