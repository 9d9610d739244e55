/** Makes the pictures of the fake's page in `docs`, light and dark, from a real story: `npx tsx scripts/picture.ts`, after a build. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { AgentPlatform, createWebhookReceiver } from '../src/index.js';
import { openBrowser } from '../test/support/chromium.js';

/** What README can carry: both pictures together below 150 kB. */
const MAX_BYTES = 75_000;

// From the build: only that has the scripts and styles of the page.
const built: string = new URL('../dist/testing/index.js', import.meta.url).href;
const { createFakePlatform } = (await import(built)) as typeof import('../src/testing/index.js');

const fake = createFakePlatform();
const { eu } = fake.seed;
const server = await fake.listen({ port: 4010, control: true });
const receiver = createWebhookReceiver({ secret: eu.workspaceSecret, logLevel: 'off' }).onAny(
  () => undefined,
);
createServer(receiver.node).listen(3000, '127.0.0.1');

// A call that succeeds at the second attempt, an event that is handled, and one of the other region.
const settings = { token: eu.workspaceSecret, baseUrls: server.baseUrls, logLevel: 'off' } as const;
const platform = new AgentPlatform({ region: 'eu', ...settings });
await platform.variables.create(eu.agentId, { key: 'plan', value: 'pro' });
fake.faults.inject({ endpoint: 'getTool', status: 503, retryAfter: 0 });
await platform.tools.get(eu.toolId);
for (const region of ['eu', 'na'] as const) {
  fake.webhooks.subscribe('http://127.0.0.1:3000/webhooks', { region });
  await fake.webhooks.send('lead_captured', { leadName: 'Dana' }, { region });
}
// And one with the wrong region in its settings, which is the one that the page explains.
await new AgentPlatform({ region: 'na', ...settings }).tools.listDefaults().catch(() => undefined);
const selected = fake.requests.at(-1)?.id ?? '';

const browser = await openBrowser();
for (const colorScheme of ['light', 'dark'] as const) {
  const viewport = { width: 1280, height: 540 };
  const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: 2 });
  await page.goto(`${server.url}/?tab=details&id=${selected}`);
  await page.waitForSelector('#connection:has-text("live")');
  const devTools = await page.context().newCDPSession(page);
  const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  const picture = Buffer.from(data, 'base64');
  const file = `docs/page-${colorScheme}.webp`;
  if (picture.byteLength > MAX_BYTES) throw new Error(`${file} has ${picture.byteLength} bytes.`);
  writeFileSync(file, picture);
  console.log(`${file}: ${picture.byteLength} bytes`);
}
process.exit();
