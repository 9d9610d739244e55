import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { sha256 } from '../../src/webhooks/dedupe-key.js';

const texts = ['', 'a', 'é☎😀', '\ud800 alone', 'x'.repeat(300_000)];

test.each(texts)('it is SHA-256 of the UTF-8 text (%#)', async (text) => {
  expect(await sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
});

test.each<[string, unknown]>([
  ['that is no Node', undefined],
  ['that has no `getBuiltinModule`', {}],
  ['without crypto', { getBuiltinModule: () => undefined }],
  ['whose crypto has no `hash`', { getBuiltinModule: () => ({ createHash }) }],
])('it is the same in a runtime %s', async (_, process) => {
  for (const text of texts) {
    vi.stubGlobal('process', process);
    const there = sha256('first\n', text);
    vi.unstubAllGlobals();
    expect(await there).toBe(await sha256('first\n', text));
  }
});
