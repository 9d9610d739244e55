import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const text = readFileSync('SECURITY.md', 'utf8');

/** The rows of the threat table: what is in each of its four columns. */
const threats = text
  .split('\n')
  .filter((line) => /^\|.*`test\//.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test.each(threats)('the threat "%s": what it can, what it cannot, and a test that shows it', (...cells) => {
  expect(cells).toHaveLength(4);
  const [, can = '', cannot = '', shown = ''] = cells;
  expect(can + cannot).not.toBe('');
  const path = shown.replaceAll('`', '');
  expect(path).toMatch(/^test\/.*\.test\.ts$/);
  expect(existsSync(path)).toBe(true);
  expect(readFileSync(path, 'utf8')).toMatch(/\btest(\.each)?\b/);
});

test.each(['forged webhooks', 'hostile response', 'an id', 'a log', 'wrong region', 'a proxy'])(
  'the table has a line for %s',
  (threat) => {
    expect(threats.some(([who = '']) => who.includes(threat))).toBe(true);
  },
);

test('says how to report a vulnerability, and which versions are supported', () => {
  expect(text).toContain('## Reporting a vulnerability');
  expect(text).toContain('## Supported versions');
});
