import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { installedTools } from '../../scripts/tool-cache.js';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The little of playwright-core that is used here. It is installed on demand, and so are its types not here. */
interface Playwright {
  readonly chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
}
interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}
interface Page {
  route(url: string, answer: (route: Route) => Promise<void>): Promise<void>;
  goto(url: string): Promise<unknown>;
  addScriptTag(script: { content: string; type: string }): Promise<unknown>;
  evaluate<Argument>(code: (argument: Argument) => unknown, argument: Argument): Promise<unknown>;
}
interface Route {
  fulfill(answer: { contentType: string; body: string }): Promise<void>;
}

/** Runs the suite inside a page. Returns its results. */
export async function runInBrowser(consumer: string, fakeUrl: string): Promise<unknown> {
  const { chromium } = await loadPlaywright();
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    // A page of the fake's own origin: the service says nothing of other origins, and neither does its fake.
    await page.route(`${fakeUrl}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
    );
    await page.goto(`${fakeUrl}/`);
    await page.addScriptTag({ content: await bundlePage(consumer), type: 'module' });
    return await page.evaluate(
      // Runs in the page, where page.mjs has put it.
      (about) => (globalThis as unknown as { runSuite: (about: unknown) => unknown }).runSuite(about),
      { fakeUrl },
    );
  } finally {
    await browser.close();
  }
}

function findChromium(): string {
  const found = [process.env.CHROMIUM ?? '', ...PLACES].find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new Error(
    'There is no Chromium: set CHROMIUM to its path, or install it. On Debian: apt-get install -y --no-install-recommends chromium',
  );
}

async function loadPlaywright(): Promise<Playwright> {
  const file = join(installedTools('playwright-core@1.65.1'), 'playwright-core/index.mjs');
  return (await import(pathToFileURL(file).href)) as Playwright;
}

async function bundlePage(consumer: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(consumer, 'page.mjs')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}
