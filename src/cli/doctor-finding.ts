import type { Terminal, Tone } from './terminal.js';

/** One finding: what was looked at, and how it is. */
export interface Finding {
  readonly check: string;
  /** The command ends with 0 where all are `ok`. */
  readonly result: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}

/** The lines of a check on its way. */
export interface Report {
  /** Says what is being looked at, which takes a while. */
  readonly looking: (at: string) => void;
  readonly tell: (finding: Finding) => void;
}

const TONES: Readonly<Record<Finding['result'], Tone>> = { ok: 'good', warn: 'doubtful', fail: 'bad' };

/** Prints a finding, its further lines below the first. */
export function showFinding(terminal: Terminal, { check, result, detail }: Finding): void {
  const margin = `${result.padEnd(4)}  ${check.padEnd(9)}  `;
  const indented = detail.replaceAll(/\n */g, `\n${' '.repeat(margin.length)}`);
  terminal.out(`${margin}${indented}`, TONES[result]);
}
