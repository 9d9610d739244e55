import { inspect } from 'node:util';
import type { Hooks, Logger } from 'agent-platform-sdk';
import { SONG } from './canary.js';

/** Headers that the tests set on the client, and that carry a credential. */
export const CALLERS_HEADERS: readonly string[] = ['x-api-key', 'cookie'];

/** Keeps all that a program could print or send elsewhere, in every form in which it could. */
export class Evidence {
  readonly #texts: string[] = [];

  /** Takes a value as a program prints it. */
  add(what: string, value: unknown): void {
    for (const text of formsOf(value)) this.#texts.push(`${what}: ${text}`);
  }

  /** A logger that keeps each line. */
  readonly logger: Logger = {
    error: (line) => this.add('error line', line),
    warn: (line) => this.add('warn line', line),
    info: (line) => this.add('info line', line),
    debug: (line) => this.add('debug line', line),
  };

  /** Hooks that keep what they are told, as a tracer would. */
  readonly hooks: Hooks = {
    onRequest: ({ headers, ...call }) => {
      // The headers that the caller has set go out by this hook's leave, and it may change them.
      const added = [...headers].filter(([name]) => !CALLERS_HEADERS.includes(name));
      this.add('onRequest', [call, added]);
    },
    onResponse: (context) => this.add('onResponse', [context, [...context.headers]]),
    onRetry: (context) => this.add('onRetry', context),
    onDrift: (drift) => this.add('onDrift', drift),
  };

  /** Runs something, and keeps what it throws or rejects with. */
  async during(what: string, run: () => unknown): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.add(what, error);
    }
  }

  /** All that was kept. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Each text that holds a canary or a part of one, cut to where it does. */
  leaks(): string[] {
    return this.#texts
      .filter((text) => text.includes(SONG))
      .map((text) => {
        const at = text.indexOf(SONG);
        return `${text.slice(0, 60)} … ${text.slice(Math.max(0, at - 60), at + 60)}`;
      });
  }
}

function formsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  const forms = [
    inspect(value, { depth: 20, showHidden: true }),
    safely(() => String(value)),
    safely(() => JSON.stringify(value)),
  ];
  return value instanceof Error
    ? [...forms, value.message, String(value.stack), ...formsOf(value.cause)]
    : forms;
}

/** Prints; what throws instead cannot leak this way. */
function safely(print: () => string | undefined): string {
  try {
    return print() ?? '';
  } catch {
    return '';
  }
}
