/**
 * The place where a workspace lives (specification, 5.1).
 *
 * The base address must match the region of the dashboard. A request to the wrong region may fail or return data of
 * the wrong environment.
 */
export type Region = 'eu' | 'na';

export const REGIONS: readonly Region[] = ['eu', 'na'];

/** The environment variable of each region's base address. */
export const BASE_URL_VARIABLES: Readonly<Record<Region, string>> = {
  eu: 'AGENT_PLATFORM_BASE_URL_EU',
  na: 'AGENT_PLATFORM_BASE_URL_NA',
};

/** Makes a record with a value for each region. */
export function forEachRegion<Value>(make: (region: Region) => Value): Record<Region, Value> {
  // The entries are those of all regions.
  return Object.fromEntries(REGIONS.map((region) => [region, make(region)])) as Record<Region, Value>;
}
