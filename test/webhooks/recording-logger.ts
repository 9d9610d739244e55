import type { Logger } from 'agent-platform-sdk';

/** Keeps every line with its level in front. */
export class RecordingLogger implements Logger {
  readonly lines: string[] = [];

  error(line: string): void {
    this.lines.push(`error ${line}`);
  }
  warn(line: string): void {
    this.lines.push(`warn ${line}`);
  }
  info(line: string): void {
    this.lines.push(`info ${line}`);
  }
  debug(line: string): void {
    this.lines.push(`debug ${line}`);
  }
}
