import type { MetricResult } from './results.js';
import { SDK } from './rows/row.js';
import { drawPanels, type Panel } from './svg.js';

/** What the README shows: what is felt, and where others can be compared. */
const SHOWN = ['start', 'cpu-1', 'import-esm', 'webhook 8 kB'];

export function drawChart(results: readonly MetricResult[], node: string): string {
  const panels = SHOWN.flatMap((id) => results.filter(({ metric }) => metric === id)).map(panelOf);
  return drawPanels(
    panels,
    `Times the baseline (dashed), median of all rounds; shorter is better. Node ${node}.`,
  );
}

function panelOf({ title, baseline, subjects }: MetricResult): Panel {
  const bars = subjects.flatMap(({ subject, ratio }) =>
    ratio === undefined
      ? []
      : [{ name: shortened(subject), ratio: ratio.median, ours: subject.startsWith(SDK) }],
  );
  return {
    title: `${title} (${baseline} = 1)`,
    bars: bars.slice().sort((a, b) => a.ratio - b.ratio),
  };
}

/** A variant of ours is told by what is different about it. */
function shortened(subject: string): string {
  return subject.replace(`${SDK}, `, 'ours, ');
}
