/**
 * The place where a workspace lives (specification, 5.1).
 *
 * The base address must match the region of the dashboard. A request to the wrong region may fail or return
 * data of the wrong environment.
 */
export type Region = (typeof REGIONS)[number];

export const REGIONS = ['eu', 'na'] as const;

/** Makes a value for each region. */
/* @__NO_SIDE_EFFECTS__ */
export function byRegion<Value>(make: (region: Region) => Value): { readonly [Name in Region]: Value } {
  return { eu: make('eu'), na: make('na') };
}
