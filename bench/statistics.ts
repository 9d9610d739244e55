/** The middle of some figures, and the half of them around it. */
export interface Spread {
  readonly median: number;
  /** A quarter of the figures is below. */
  readonly low: number;
  /** A quarter of the figures is above. */
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.slice().sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** Between two figures, the part of the way from one to the other. */
function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError('no figures');
  return below + (above - below) * (position - Math.floor(position));
}
