/**
 * Runs the whole suite as if every client and receiver logged at debug, and holds all lines, all errors and the
 * console to one rule: none shows a secret of the tests.
 */

import { inspect } from 'node:util';
import { afterEach } from 'vitest';
import { LeveledLogger } from '../../src/ground/logger.js';
import { canariesIn } from './canaries.js';

const shown: string[] = [];
const errors: object[] = [];

const { log } = LeveledLogger.prototype;
LeveledLogger.prototype.log = function (level, line, fields) {
  log.call(this, level, line, fields);
  shown.push(line(), inspect(fields?.()));
};

// Every error of the package marks itself with this brand as it is made: those that nobody catches are found too.
const brand = Symbol.for('agent-platform-sdk.error');
const { defineProperty } = Object;
Object.defineProperty = (target, key, descriptor) => {
  if (key === brand) errors.push(target as object);
  return defineProperty(target, key, descriptor);
};

for (const level of ['debug', 'error', 'info', 'log', 'warn'] as const) {
  const write = console[level].bind(console);
  console[level] = (...parts: unknown[]) => {
    shown.push(inspect(parts, { depth: 10 }));
    write(...parts);
  };
}

afterEach(() => {
  const texts = [...shown.splice(0), ...errors.splice(0).flatMap(formsOf)];
  const leaks = texts.filter((text) => canariesIn(text).length > 0);
  if (leaks.length > 0)
    throw new Error(`a log line, an error or the console shows a secret:\n${leaks.join('\n')}`);
});

/** The ways in which programs print an error. */
function formsOf(error: object): string[] {
  const { stack, cause } = error as Error;
  return [inspect(error, { depth: 10 }), String(stack), inspect(cause, { depth: 10 }), JSON.stringify(error)];
}
