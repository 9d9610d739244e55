import { createHash } from 'node:crypto';
import { createWebhookReceiver, type StoredWebhook, type WebhookSecretOptions } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { sha256 } from '../../src/webhooks/dedupe-key.js';
import { secret } from './deliveries.js';

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

const payload = { message: 'm', createdAt: 1, workspaceSecret: secret };
const body = { type: 'webhook_test', payload };

// Receivers of two versions share a store during a deployment, and what was handled is remembered for a day.
test.each<[what: string, options: WebhookSecretOptions, body: unknown, key: string, unnamed?: string]>([
  [
    'text of an unnamed workspace',
    { secret },
    JSON.stringify(body),
    'e4c598a3a7a1099a3426c1cc427fae80503844d4d1a7b3d57904ab334a24e3a8',
  ],
  [
    'bytes of a named one',
    { secret: { acme: secret } },
    new TextEncoder().encode(JSON.stringify(body)),
    'cf97f27288c2978c60bf18be5cfa2a833a832c8ae4d58ad047d685aa8d22afa4',
  ],
  ['an object', { secret }, body, 'e4c598a3a7a1099a3426c1cc427fae80503844d4d1a7b3d57904ab334a24e3a8'],
  [
    'one with more in its envelope',
    { secret },
    { ...body, version: 2 },
    'e4c598a3a7a1099a3426c1cc427fae80503844d4d1a7b3d57904ab334a24e3a8',
  ],
  [
    'one of a workspace that is looked up',
    { verifySecret: () => true },
    body,
    '797dcb0738fa7eb7b8fa4b51fceadb87bb4ab33d3acc7dc3f4dec0ae7eb7f281',
    '0e3ee4ceed586b12',
  ],
])('the key of %s is the same in each version', async (_, options, sent, key, unnamedWorkspace) => {
  const stored: StoredWebhook[] = [];
  const inbox = { store: (webhook: StoredWebhook) => stored.push(webhook) };
  await createWebhookReceiver({ ...options, inbox, logLevel: 'off' }).handle({ method: 'POST', body: sent });
  expect(stored).toMatchObject([{ key }]);
  expect(stored[0]?.unnamedWorkspace).toBe(unnamedWorkspace);
});
