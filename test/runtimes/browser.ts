import { join } from 'node:path';
import { build } from 'esbuild';
import { openBrowser } from '../support/chromium.js';

/** Runs the suite inside a page. Returns its results. */
export async function runInBrowser(consumer: string, fakeUrl: string): Promise<unknown> {
  const browser = await openBrowser();
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
