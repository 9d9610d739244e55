/** A bar of a chart, with its name in front and its figure behind. */
export interface Bar {
  readonly name: string;
  readonly ratio: number;
  readonly ours: boolean;
}

/** Some bars under a title. */
export interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 460;
const NAME = 176;
const FIGURE = 52;
const ROW = 22;
const HEAD = 40;
const GAP = 28;
/** A bar that is longer than this many times the baseline is cut off, or the others could not be told apart. */
const LONGEST = 5;

const STYLE = `
    text { font: 12px system-ui, 'Segoe UI', sans-serif; fill: #1f2328; }
    .title { font-weight: 600; font-size: 13px; }
    .name { text-anchor: end; }
    .ours { font-weight: 600; }
    .card { fill: #ffffff; }
    .bar { fill: #b6bec9; }
    .bar.ours { fill: #1a7f5a; }
    .one { stroke: #8c959f; stroke-dasharray: 2 3; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .card { fill: #0d1117; }
      .bar { fill: #545d68; }
      .bar.ours { fill: #3fb98a; }
      .one { stroke: #768390; }
    }`;

/** Draws panels in two columns, as SVG that follows the reader's light or dark scheme. */
export function drawPanels(panels: readonly Panel[], caption: string): string {
  const columns = [
    panels.filter((_, index) => index % 2 === 0),
    panels.filter((_, index) => index % 2 === 1),
  ];
  const height = Math.max(...columns.map(heightOf)) + 24;
  const width = WIDTH * 2 + GAP * 3;
  const drawn = columns.flatMap((column, index) => drawColumn(column, GAP + index * (WIDTH + GAP)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeText(caption)}">
  <style>${STYLE}
  </style>
  <rect class="card" width="${width}" height="${height}" rx="8"/>
${drawn.join('\n')}
  <text x="${GAP}" y="${height - 12}">${escapeText(caption)}</text>
</svg>
`;
}

const panelHeight = ({ bars }: Panel): number => HEAD + bars.length * ROW;
const heightOf = (column: readonly Panel[]): number =>
  column.reduce((sum, panel) => sum + panelHeight(panel), GAP);

function drawColumn(column: readonly Panel[], x: number): string[] {
  let y = 0;
  return column.map((panel) => {
    const drawn = drawPanel(panel, x, y);
    y += panelHeight(panel);
    return drawn;
  });
}

function drawPanel({ title, bars }: Panel, x: number, y: number): string {
  const scale = (WIDTH - NAME - FIGURE) / Math.min(LONGEST, Math.max(1, ...bars.map(({ ratio }) => ratio)));
  const one = NAME + scale;
  const bottom = HEAD + bars.length * ROW - 6;
  return `  <g transform="translate(${x} ${y})">
    <text class="title" x="0" y="28">${escapeText(title)}</text>
    <line class="one" x1="${round(one)}" x2="${round(one)}" y1="${HEAD - 2}" y2="${bottom}"/>
${bars.map((bar, index) => drawBar(bar, HEAD + index * ROW, scale)).join('\n')}
  </g>`;
}

function drawBar({ name, ratio, ours }: Bar, y: number, scale: number): string {
  const length = Math.max(1, Math.min(ratio, LONGEST) * scale);
  const mark = ours ? ' ours' : '';
  const figure = `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(2)}x${ratio > LONGEST ? ' »' : ''}`;
  return `    <text class="name${mark}" x="${NAME - 8}" y="${y + 13}">${escapeText(name)}</text>
    <rect class="bar${mark}" x="${NAME}" y="${y + 2}" width="${round(length)}" height="14" rx="2"/>
    <text class="figure${mark}" x="${round(NAME + length + 6)}" y="${y + 13}">${figure}</text>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
