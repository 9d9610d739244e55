import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

const text = readFileSync('SECURITY.md', 'utf8');

/** The rows of the threat table: what is in each of its four columns. */
const threats = (/\n## What an attacker .*?(?=\n## )/s.exec(text)?.[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** The titles of the tests in a file, and of their groups, with `…` for what differs from row to row of one. */
function titlesIn(path: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(test|describe)\b/.test(node.expression.getText())) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
  return titles.map((title) => title.replace(/%\w|\$[\w.]+/g, '…'));
}

test.each(threats)('the threat "%s": what it can, what it cannot, and the tests that show it', (...cells) => {
  expect(cells).toHaveLength(4);
  const [, can = '', cannot = '', shown = ''] = cells;
  expect(can + cannot).not.toBe('');
  for (const link of shown.split('; ')) {
    const [, title, path = ''] = /^\[(.+)\]\((test\/.+\.test\.ts)\)$/.exec(link) ?? [];
    expect(path, `${link} is a link to a test`).not.toBe('');
    expect(titlesIn(path)).toContain(title);
  }
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
