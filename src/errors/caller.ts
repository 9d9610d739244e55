import { AgentPlatformError } from './base.js';

interface CallerStack {
  readonly stack?: unknown;
}

/**
 * Notes the frames of whoever calls a public function, for what is thrown when they are gone. The runtime writes them out only
 * when `stack` is read.
 */
export function callerOf(called: unknown): CallerStack {
  const caller: CallerStack = {};
  // Not every runtime has it.
  const { captureStackTrace } = Error as { captureStackTrace?: (target: object, called: unknown) => void };
  captureStackTrace?.(caller, called);
  return caller;
}

/**
 * Throws an error with a stack that begins at the line of the caller. A runtime keeps ten frames: without this all would be of
 * this package, and a test runner would have no line to show.
 */
export function throwTo({ stack }: CallerStack, error: unknown, ownFrames = 0): never {
  // In front of them stands the name of an error that there is not.
  const frames = String(stack)
    .split(/\n(?= {4}at )/)
    .slice(1 + ownFrames);
  if (frames.length > 0 && error instanceof AgentPlatformError) {
    error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  }
  throw error;
}

/** Does the work of a public function. The stack of an error that it throws begins at its caller. */
export function forCaller<Result>(called: unknown, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    return throwTo(callerOf(called), error);
  }
}
