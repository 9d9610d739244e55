import { expect, test } from 'vitest';
import { type Bar, drawPanels } from '../../bench/svg.js';

const bar = (ratio: number, name = 'a peer'): Bar => ({ name, ratio, ours: false });
const widthsIn = (svg: string) =>
  [...svg.matchAll(/class="bar" .*?width="([\d.]+)"/g)].map(([, width]) => Number(width));

test('bars are as long as their ratios', () => {
  const [one = 0, two] = widthsIn(drawPanels([{ title: 'CPU', bars: [bar(1), bar(2)] }], ''));
  expect(two).toBeCloseTo(one * 2, 0);
});

test('a bar that would dwarf the others is cut off, and says so', () => {
  const svg = drawPanels([{ title: 'CPU', bars: [bar(5), bar(60)] }], '');
  const [five, sixty] = widthsIn(svg);
  expect(sixty).toBe(five);
  expect(svg).toContain('60x »');
});

test('names cannot break out of the picture', () => {
  const svg = drawPanels([{ title: '<b>', bars: [bar(1, 'a & b')] }], '"');
  expect(svg).toContain('&lt;b>');
  expect(svg).toContain('a &amp; b');
  expect(svg).toContain('aria-label="&quot;"');
});
