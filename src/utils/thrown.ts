import { isObject } from './json.js';
import { onOneLine } from './printable.js';

/** Whether a value is an error, also of another realm: Jest and vitest's `vmThreads` run tests in one (jest#2549). */
export function isError(value: unknown): value is Error {
  // A DOMException has a tag of its own.
  return (
    value instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
  );
}

/** Returns the stack of an error, with its message; anything else that was thrown, as text. Never throws. */
export function describeError(thrown: unknown): string {
  return safely(() => {
    if (isError(thrown)) return stackOf(thrown) ?? String(thrown);
    if (!isObject(thrown)) return String(thrown);
    // Not their values, which may be secrets.
    const { message } = thrown;
    const text = typeof message === 'string' ? `: ${message}` : '';
    return `an object, not an Error (fields: ${Object.keys(thrown).join(', ')})${text}`;
  });
}

/** Returns the class of what was thrown, without its message, which may contain anything. Never throws. */
export function describeThrown(thrown: unknown): string {
  return safely(() => (isError(thrown) ? onOneLine(thrown.name) : typeof thrown));
}

/** A value can be made so that its text cannot be read: a list of objects without a prototype, a symbol as message. */
export function safely(describe: () => string): string {
  try {
    return describe();
  } catch {
    return 'something that cannot be described';
  }
}

/** Returns the frames of a stack, without the message that precedes them. Never throws. */
export function framesOf(error: unknown): string {
  const stack = (isError(error) ? stackOf(error) : undefined) ?? '';
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  return frames.map((frame) => `\n${frame}`).join('');
}

/**
 * Returns the stack of an error if it is a text. A program's `Error.prepareStackTrace` makes anything of it, or
 * throws (winston#401, kue#426). Never throws.
 */
export function stackOf(error: Error): string | undefined {
  try {
    const stack: unknown = error.stack;
    return typeof stack === 'string' ? stack : undefined;
  } catch {
    return undefined;
  }
}
