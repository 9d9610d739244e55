/** Rounds, in which every peer has its turns, and the table of their results. */

/** How many turns a peer has in a round. */
const TURNS = 15;

export interface Effort {
  readonly rounds: number;
  /** The share of a turn's usual work that is done: 1, or next to nothing for a smoke run. */
  readonly share: number;
}

/** The results of one turn of one peer, by the name of the figure. */
export type Figures = Readonly<Record<string, number>>;

/** A peer in its own process. */
export interface Peer {
  /** Takes the next turn, and returns its figures. */
  measure(): Promise<Figures>;
  stop(): Promise<void>;
}

/** The figures of each peer, by round and turn. */
export type Results = Readonly<Record<string, readonly (readonly Figures[])[]>>;

/** Measures every peer once per round, in changing order, so that busy moments affect all of them alike. */
export async function inRounds<Name extends string>(
  peers: readonly Name[],
  rounds: number,
  measure: (peer: Name) => Promise<Figures>,
): Promise<Results> {
  const results: Record<string, Figures[][]> = Object.fromEntries(peers.map((peer) => [peer, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const peer of rotate(peers, round)) results[peer]?.push([await measure(peer)]);
  }
  return results;
}

/**
 * The same for peers that keep running: in a round each has its own process, and these take short turns, so
 * that turns that are compared are only moments apart.
 */
export async function inTurns<Name extends string>(
  peers: readonly Name[],
  { rounds, share }: Effort,
  start: (peer: Name) => Promise<Peer>,
): Promise<Results> {
  const results: Record<string, Figures[][]> = Object.fromEntries(peers.map((peer) => [peer, []]));
  for (let round = 0; round < rounds; round += 1) {
    const running = new Map<Name, Peer>();
    for (const peer of rotate(peers, round)) running.set(peer, await start(peer));
    const measure = async (peer: Name) => (await running.get(peer)?.measure()) ?? {};
    const turns = await inRounds(peers, Math.ceil(TURNS * share), measure);
    for (const peer of peers) results[peer]?.push((turns[peer] ?? []).flat());
    await Promise.all([...running.values()].map((peer) => peer.stop()));
  }
  return results;
}

/** The same for one process that measures several things itself: each figure becomes a row, as `time`. */
export async function byFigure(effort: Effort, start: () => Promise<Peer>): Promise<Results> {
  const { measured = [] } = await inTurns(['measured'], effort, start);
  const names = Object.keys(measured[0]?.[0] ?? {});
  const times = (name: string) =>
    measured.map((turns) => turns.map((figures) => ({ time: figures[name] ?? Number.NaN })));
  return Object.fromEntries(names.map((name) => [name, times(name)]));
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

export interface Table {
  readonly title: string;
  readonly figure: string;
  readonly unit: string;
  /** The peers that the others are compared with. */
  readonly beside: readonly string[];
}

/** Prints one figure of all peers as a Markdown table, with ratios. A round counts by its median turn. */
export function printTable({ title, figure, unit, beside }: Table, results: Results): void {
  const turns = (peer: string) =>
    (results[peer] ?? []).map((round) => round.map((figures) => figures[figure] ?? Number.NaN));
  const head = ['', unit, 'min to max', ...beside.map((peer) => `beside ${peer}`)];
  const rows = Object.keys(results).map((peer) => {
    const own = turns(peer);
    const rounds = own.map(median);
    const spread = `${number(Math.min(...rounds))} to ${number(Math.max(...rounds))}`;
    const ratios = beside.map((other) => (other === peer ? '1' : describeRatios(own, turns(other))));
    return [peer, number(median(rounds)), spread, ...ratios];
  });
  console.log(`\n${title}\n`);
  printRows([head, head.map(() => '---'), ...rows]);
}

function printRows(rows: readonly (readonly string[])[]): void {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  for (const row of rows) {
    console.log(`| ${row.map((cell, column) => cell.padEnd(width(column))).join(' | ')} |`);
  }
}

/** Ratios are taken turn by turn, because what ran in one turn met the same machine. */
function describeRatios(own: readonly number[][], others: readonly number[][]): string {
  const ratios = own.map((turns, round) =>
    median(turns.map((value, turn) => value / (others[round]?.[turn] ?? Number.NaN))),
  );
  return `${median(ratios).toFixed(2)}x (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
}

function number(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
