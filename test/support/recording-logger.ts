import type { LogFields, Logger } from 'agent-platform-sdk';

/** A logger that keeps every line, with its level in front, and its fields. */
export class RecordingLogger implements Logger {
  readonly lines: string[] = [];
  readonly fields: (LogFields | undefined)[] = [];
  readonly error = this.#keep('error');
  readonly warn = this.#keep('warn');
  readonly info = this.#keep('info');
  readonly debug = this.#keep('debug');

  #keep(level: string) {
    return (line: string, fields?: LogFields): void => {
      this.lines.push(`${level} ${line}`);
      this.fields.push(fields);
    };
  }
}
