import type { Logger } from 'agent-platform-sdk';

/** A logger that keeps every line, with its level in front. */
export class RecordingLogger implements Logger {
  readonly lines: string[] = [];
  readonly error = (line: string): void => void this.lines.push(`error ${line}`);
  readonly warn = (line: string): void => void this.lines.push(`warn ${line}`);
  readonly info = (line: string): void => void this.lines.push(`info ${line}`);
  readonly debug = (line: string): void => void this.lines.push(`debug ${line}`);
}
