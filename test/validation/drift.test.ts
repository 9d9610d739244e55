import { expect, test } from 'vitest';
import { LeveledLogger } from '../../src/utils/logger.js';
import { DriftReporter } from '../../src/validation/drift.js';
import { RecordingLogger } from '../support/recording-logger.js';

/** Reports drift at some paths, and returns the levels at which it was logged. */
async function levelsOf(...paths: readonly (readonly (string | number)[])[]): Promise<unknown[]> {
  const logger = new RecordingLogger();
  const reporter = new DriftReporter(new LeveledLogger(logger, 'debug'), undefined);
  for (const path of paths) {
    await reporter.report({ source: 'GET /x', region: 'eu', issues: [{ path, code: 'c', message: 'm' }] });
  }
  return logger.lines.map((line) => line.split(' ')[0]);
}

test('drift is a warning once for each place, whatever the index, and then a line at debug', async () => {
  expect(await levelsOf(['list', 0, 'x'], ['list', 1, 'x'], ['list', 'a', 'x'])).toEqual([
    'warn',
    'debug',
    'warn',
  ]);
});

test('a thousand kinds of drift are warnings, and further ones lines at debug', async () => {
  const levels = await levelsOf(...Array.from({ length: 1_001 }, (_, kind) => [`field${kind}`]));
  expect(levels.slice(998)).toEqual(['warn', 'warn', 'debug']);
});
