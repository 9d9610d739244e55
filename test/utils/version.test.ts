import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createClient, requests } from '../support/client.js';

test('the version that a call names is that of the package', async () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  await createClient().tools.listDefaults();
  expect(requests[0]?.headers.get('user-agent')).toContain(`agent-platform-sdk/${version} `);
});
