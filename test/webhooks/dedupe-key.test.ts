import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { sha256 } from '../../src/webhooks/dedupe-key.js';

const texts = ['', 'a', 'é☎😀', '\ud800 alone', 'x'.repeat(300_000)];

test.each(texts)('it is SHA-256 of the UTF-8 text (%#)', async (text) => {
  expect(await sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
});

test.each(texts)('it is the same where there is WebCrypto alone (%#)', async (text) => {
  const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  const alone = await sha256('first\n', text);
  expect(spy).toHaveBeenCalled();
  spy.mockRestore();
  expect(alone).toBe(await sha256('first\n', text));
});
