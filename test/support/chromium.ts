import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installTool } from '../runtimes/tool-cache.js';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The part of playwright-core that is used here. It is installed on demand, so its types are missing. */
interface Playwright {
  readonly chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
}
export interface Browser {
  /** A browser of its own, whose pages share connections. */
  newContext(): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>;
  newPage(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}
export interface PageOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly javaScriptEnabled?: boolean;
  readonly colorScheme?: 'light' | 'dark';
  /** Such as `Asia/Kolkata`. */
  readonly timezoneId?: string;
  /** Such as `de-DE`. */
  readonly locale?: string;
  /** Pixels of a picture for each of the page. Default 1. */
  readonly deviceScaleFactor?: number;
  /** `clipboard-read` lets a test read what the page has copied. */
  readonly permissions?: readonly string[];
}
export interface Page {
  /** Presses keys as a user does: `Tab`, `Enter`, `Shift+Tab`. */
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  close(): Promise<void>;
  screenshot(options: { path: string }): Promise<unknown>;
  route(url: string, handle: (route: Route) => Promise<void>): Promise<void>;
  goto(url: string, options?: { waitUntil: 'load' | 'domcontentloaded' }): Promise<unknown>;
  addScriptTag(script: { content: string; type: string }): Promise<unknown>;
  evaluate<Argument, Result>(
    code: (argument: Argument) => Result,
    argument: Argument,
  ): Promise<Awaited<Result>>;
  click(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  /** Chooses from a list by the text of the option. */
  selectOption(selector: string, option: { label: string }): Promise<unknown>;
  waitForSelector(selector: string): Promise<unknown>;
  url(): string;
  /** What the DevTools protocol can do beyond the other methods. */
  context(): { newCDPSession(page: Page): Promise<DevTools> };
}
interface DevTools {
  /** `screenshot` of playwright-core 1.65 has no WebP. */
  send(
    method: 'Page.captureScreenshot',
    options: { format: 'webp'; quality: number },
  ): Promise<{ data: string }>;
}
interface Route {
  fulfill(response: { contentType: string; body: string }): Promise<void>;
}

/** Starts the Chromium of this machine. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = await loadPlaywright();
  const executablePath = chromiumPath();
  if (executablePath === undefined) {
    throw new Error(
      'There is no Chromium: set CHROMIUM to its path, or install it. On Debian: apt-get install -y --no-install-recommends chromium',
    );
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** The path of this machine's Chromium, if it has one. */
export function chromiumPath(): string | undefined {
  return [process.env.CHROMIUM ?? '', ...PLACES].find((place) => existsSync(place));
}

async function loadPlaywright(): Promise<Playwright> {
  const file = join(await installTool('playwright-core@1.65.1'), 'playwright-core/index.mjs');
  return (await import(pathToFileURL(file).href)) as Playwright;
}
