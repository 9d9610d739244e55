import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { sha256 } from '../../src/webhooks/sha256.js';

const texts = ['', 'a', 'é☎😀', '\ud800 alone', 'x'.repeat(300_000)];

test.each(texts)('it is SHA-256 of the UTF-8 text (%#)', async (text) => {
  expect(await sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
});

test.each(texts)('it is the same where there is WebCrypto alone (%#)', async (text) => {
  vi.resetModules();
  const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  const module = await import('../../src/webhooks/sha256.js');
  spy.mockRestore();
  expect(await module.sha256(text)).toBe(await sha256(text));
});
