import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, openBrowser, type Page, type PageOptions } from '../support/chromium.js';
import { openWorkbench } from './workbench.js';

const TABS = ['Requests', 'Records', 'Webhooks', 'Faults', 'Settings'];

let browser: Browser;
let bench: Awaited<ReturnType<typeof openWorkbench>>;

beforeAll(async () => {
  [bench, browser] = await Promise.all([openWorkbench(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  bench.end();
});

async function open(options: PageOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  await page.goto(bench.url);
  await page.waitForSelector('section');
  return page;
}

describe('with keys alone', () => {
  /** The element with the focus: its tag, and its text or its value. */
  const focused = (page: Page) =>
    page.evaluate(() => {
      const { tagName, textContent } = document.activeElement ?? document.body;
      return `${tagName.toLowerCase()} ${textContent?.trim()}`;
    }, '');

  async function tabTo(page: Page, target: string): Promise<void> {
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await focused(page)) === target) return;
    }
    throw new Error(`${target} is not reached by the Tab key`);
  }

  test('every part is reached, and opened by Enter', async () => {
    const page = await open();
    for (const tab of [...TABS.slice(1), TABS[0]]) {
      await tabTo(page, `button ${tab}`);
      await page.keyboard.press('Enter');
      await page.waitForSelector(`section[aria-label=${tab}]`);
      expect(await focused(page)).toBe(`button ${tab}`);
    }
  });

  test('a record is opened, changed, and left as it was by Escape', async () => {
    const page = await open();
    await tabTo(page, 'button Records');
    await page.keyboard.press('Enter');
    await page.waitForSelector('summary:text-is("tool_eu_1")');
    await tabTo(page, 'summary tool_eu_1');
    await page.keyboard.press('Enter');
    await page.waitForSelector('details[open]');
    await page.keyboard.press('Tab');
    await page.keyboard.type('dropped');
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('summary tool_eu_1');
    await page.keyboard.press('Enter');
    await page.waitForSelector('details[open]');
    const text = () => page.evaluate(() => document.querySelector('textarea')?.value, '');
    await expect.poll(text).not.toContain('dropped');
    expect(JSON.parse((await text()) ?? '')).toMatchObject({ id: 'tool_eu_1' });
  });

  test('an event is sent', async () => {
    const page = await open();
    await tabTo(page, 'button Webhooks');
    await page.keyboard.press('Enter');
    await tabTo(page, 'button webhook_test');
    await page.keyboard.press('Space');
    await page.waitForSelector('legend:text-is("webhook_test")');
    await tabTo(page, 'button Send webhook_test');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=status]:has-text("Nobody gets it")');
    expect(await focused(page)).toBe('button Send webhook_test');
  });

  test('what has the focus is outlined', async () => {
    const page = await open();
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(
      () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
      '',
    );
    expect(outline).toBe('solid');
  });
});

/** The contrast of the colours of an element against what is behind it, as WCAG counts it: from 1 to 21. */
function contrastOf(selector: string): number {
  const luminance = (colour: string): number => {
    const channels = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map((value) => Number(value) / 255);
    const [red = 0, green = 0, blue = 0] = channels.map((value) =>
      value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const element = document.querySelector(selector);
  if (element === null) throw new Error(`there is no ${selector}`);
  let behind: Element | null = element;
  while (behind !== null && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') {
    behind = behind.parentElement;
  }
  const back = luminance(getComputedStyle(behind ?? document.body).backgroundColor);
  const front = luminance(getComputedStyle(element).color);
  return (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
}

test('dark and light, as the system is, and readable in both', async () => {
  await bench.call('/tools/tool_eu_1');
  await bench.call('/tools/nothing');
  const backgrounds: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open({ colorScheme });
    await page.waitForSelector('summary .bad');
    backgrounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor, ''));
    await page.click('summary');
    for (const selector of [
      'h2',
      'summary',
      '.good',
      'summary .bad',
      'pre[tabindex="0"]',
      'button[aria-current=page]',
      'header',
    ]) {
      expect(await page.evaluate(contrastOf, selector), `${colorScheme} ${selector}`).toBeGreaterThan(4.5);
    }
  }
  expect(backgrounds).toEqual(['rgb(255, 255, 255)', 'rgb(18, 21, 26)']);
});

test('on a phone, no part is wider than the screen, and the header leaves room for it', async () => {
  const page = await open({ viewport: { width: 360, height: 700 } });
  for (const tab of TABS) {
    await page.click(`nav button:text-is("${tab}")`);
    await page.waitForSelector(`section[aria-label=${tab}]`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth, '');
    expect(width, tab).toBeLessThanOrEqual(360);
  }
  const header = await page.evaluate(() => document.querySelector('header')?.offsetHeight ?? 0, '');
  expect(header).toBeLessThan(700 / 4);
});
