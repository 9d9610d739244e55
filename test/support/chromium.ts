import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installTool } from '../runtimes/tool-cache.js';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

// The part of playwright-core that is used here. It is installed on demand, so its types are missing.

interface Playwright {
  readonly chromium: { launch(options: object): Promise<Browser> };
}
export interface Browser {
  /** A browser of its own, whose pages share connections. */
  newContext(): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>;
  /** Takes options such as `viewport`, `locale` and `permissions`. */
  newPage(options?: object): Promise<Page>;
  close(): Promise<void>;
}
export interface Page {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  close(): Promise<void>;
  goto(url: string): Promise<unknown>;
  url(): string;
  evaluate<Argument, Result>(
    code: (argument: Argument) => Result,
    argument: Argument,
  ): Promise<Awaited<Result>>;
  click(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  /** Chooses from a list by the text of the option. */
  selectOption(selector: string, option: { label: string }): Promise<unknown>;
  waitForSelector(selector: string): Promise<unknown>;
  /** What the DevTools protocol can do beyond the other methods. */
  context(): { newCDPSession(page: Page): Promise<DevTools> };
}
interface DevTools {
  send(method: string, options: object): Promise<{ data: string }>;
}

/** Starts the Chromium of this machine. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) {
    throw new Error(
      'There is no Chromium: set CHROMIUM to its path, or install it. On Debian: apt-get install -y --no-install-recommends chromium',
    );
  }
  const file = join(await installTool('playwright-core@1.65.1'), 'playwright-core/index.mjs');
  const { chromium } = (await import(pathToFileURL(file).href)) as Playwright;
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** The path of this machine's Chromium, if it has one. */
export function chromiumPath(): string | undefined {
  return [process.env.CHROMIUM ?? '', ...PLACES].find((place) => existsSync(place));
}
