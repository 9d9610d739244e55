/** Takes the pictures of the fake's page for its guide, in light and in dark: `npm run build && npx tsx scripts/screenshots.ts`. */
import { mkdirSync } from 'node:fs';
import { openWorkbench } from '../test/page/workbench.js';
import { type Browser, openBrowser } from '../test/support/chromium.js';

const FOLDER = 'docs/screenshots';

async function take(browser: Browser, url: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 960, height: 600 }, colorScheme });
  await page.goto(url);
  await page.click('summary:has-text("fault")');
  await page.screenshot({ path: `${FOLDER}/requests-${colorScheme}.png` });
  await page.click('button:text-is("Webhooks")');
  await page.click('button:text-is("lead_captured")');
  await page.screenshot({ path: `${FOLDER}/webhooks-${colorScheme}.png` });
}

const bench = await openWorkbench();
const browser = await openBrowser();
try {
  mkdirSync(FOLDER, { recursive: true });
  const post = (path: string, body: object) =>
    fetch(`${bench.url}/_fake${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/subscriptions', { url: bench.hook });
  await post('/events', { type: 'lead_captured', overrides: { leadName: 'Dana' } });
  await bench.call('/tools/defaults');
  await bench.call('/tools/tool_eu_1');
  await post('/faults', { status: 503, retryAfter: 1 });
  await bench.call('/agents/agent_eu_1/variables', { method: 'POST', body: '{"variable":{"key":"plan"}}' });
  await take(browser, bench.url, 'light');
  await take(browser, bench.url, 'dark');
} finally {
  await browser.close();
  bench.end();
}
