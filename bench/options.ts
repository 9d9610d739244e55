import { parseArgs } from 'node:util';
import { everyRow, type RowName, rows } from './rows/index.js';

/** The request of the command line. */
export interface BenchOptions {
  /** Rounds of each row; each row's own number where it is left out. */
  readonly rounds: number | undefined;
  /** Without it, all rows but those of what was tried. */
  readonly only: readonly RowName[];
  /** One tiny round of everything: no peer is installed, nothing is judged. */
  readonly smoke: boolean;
  /** The directory of the package under test, `dist` inside. */
  readonly package: string;
  /** A file for the results, if they are to be kept. */
  readonly json: string | undefined;
}

export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      only: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      package: { type: 'string', default: '.' },
      json: { type: 'string' },
    },
  });
  return {
    rounds: values.smoke ? 1 : readRounds(values.rounds),
    only: readRows(values.only),
    smoke: values.smoke,
    package: values.package,
    json: values.json,
  };
}

function readRounds(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const rounds = Number(value);
  if (Number.isInteger(rounds) && rounds > 0) return rounds;
  throw new Error(`--rounds takes a whole number above 0, got ${value}`);
}

function readRows(value: string | undefined): readonly RowName[] {
  if (value === undefined) return Object.keys(rows) as RowName[];
  const known = Object.keys(everyRow) as RowName[];
  return value.split(',').map((name) => {
    const row = known.find((one) => one === name);
    if (row !== undefined) return row;
    throw new Error(`--only knows no ${name}, but ${known.join(', ')}`);
  });
}
