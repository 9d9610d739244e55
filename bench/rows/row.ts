/** Name of this package in every table. */
export const SDK = 'agent-platform-sdk';

/** One process to start: what it measures, and the arguments it gets beside those that all get. */
export interface Measurement {
  /** A file of bench/peers/programs. */
  readonly program: string;
  /** Handed to the program as JSON. */
  readonly task: Readonly<Record<string, unknown>>;
  /** The package that must be installed for it. */
  readonly needs?: string | undefined;
  /** Flags of Node. */
  readonly flags?: readonly string[] | undefined;
}

/** A bound on a ratio within the same round, or on the figure itself where `against` is left out. */
export interface Goal {
  readonly subject: string;
  readonly against?: string | undefined;
  readonly atMost?: number | undefined;
  readonly atLeast?: number | undefined;
}

/** A figure that several subjects are compared by. */
export interface Metric {
  /** As the programs report it. */
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** The subject whose figure the others are shown as multiples of; none where only the figures count. */
  readonly baseline?: string | undefined;
  readonly goals: readonly Goal[];
}

/** One kind of work, measured over several rounds. In a round, each measurement runs once, in a process of its own. */
export interface Row {
  /** For `--only`. */
  readonly id: string;
  readonly rounds: number;
  readonly metrics: readonly Metric[];
  readonly measurements: readonly Measurement[];
}

/** Parts that rows are made from. */
export interface Setting {
  /** A quick look whether everything still runs, instead of figures. */
  readonly smoke: boolean;
  /** Base address of the server that answers every request with one record. */
  readonly baseUrl: string;
  /** Writes a text to a file and returns its path. */
  readonly file: (name: string, text: () => string) => string;
}

/** A goal for each of the others: ours is at most so many times theirs. */
export function atMostEach(atMost: number, ...others: readonly string[]): Goal[] {
  return others.map((against) => ({ subject: SDK, against, atMost }));
}
