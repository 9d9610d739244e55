import { readFileSync } from 'node:fs';
import { VERSION } from 'agent-platform-sdk';
import { expect, test } from 'vitest';

test('the version in the code is that of the package', () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as unknown;
  expect(manifest).toMatchObject({ version: VERSION });
});
