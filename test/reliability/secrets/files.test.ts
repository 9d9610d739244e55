import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesIn } from '../../../scripts/files.js';
import { canariesIn } from '../../support/canaries.js';
import { SONG } from './canary.js';

/** Everything that is published or read outside of the tests, and what was built. */
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('test/') && existsSync(path));
const built = existsSync('dist') ? filesIn('dist', '') : [];

test('no file outside of the tests, and none that was built, holds a secret of the tests', () => {
  const files = [...tracked, ...built].filter((path) => statSync(path).isFile());
  const holding = files.filter((path) => {
    const text = readFileSync(path, 'utf8');
    return text.includes(SONG) || canariesIn(text).some((one) => !one.startsWith('fake-'));
  });
  expect(holding).toEqual([]);
});
