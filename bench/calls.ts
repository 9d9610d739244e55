/** A call: its CPU, the start of a program that makes one, and the share of validation. */
import type { CallsTask, ClientName, RecordName } from './calls-peers.js';
import { start, writeSample } from './processes.js';
import { byFigure, type Effort, inRounds, inTurns, printTable } from './rounds.js';
import { responses } from './samples.js';

const PEERS: readonly ClientName[] = ['fetch', 'ky, set up', 'openai', 'retell-sdk', 'this package'];
const BESIDE = ['fetch', 'ky, set up', 'openai'];
const RECORDS: readonly RecordName[] = ['tool', 'conversation', 'clients'];

const launch = (task: CallsTask) => start('calls-peers.js', task);

export async function calls(effort: Effort): Promise<void> {
  const server = await launch({ job: 'serve', file: writeSample('tool.json', responses.tool()) });
  const url = `http://127.0.0.1:${server.port}`;
  await cpu(url, effort);
  await startUp(url, effort);
  await server.stop();
  for (const record of RECORDS) await validation(record, effort);
}

async function cpu(url: string, effort: Effort): Promise<void> {
  const count = Math.ceil(400 * effort.share);
  const results = await inTurns(PEERS, effort, (client) => launch({ job: 'cpu', client, url, calls: count }));
  const table = { unit: 'µs of CPU', beside: BESIDE };
  printTable({ ...table, title: 'A call over loopback, one at a time', figure: 'one' }, results);
  printTable({ ...table, title: 'A call over loopback, 32 in flight', figure: 'many' }, results);
}

async function startUp(url: string, { rounds, share }: Effort): Promise<void> {
  const results = await inRounds(PEERS, Math.ceil(rounds * 3 * share), async (client) => {
    const started = await launch({ job: 'start', client, url });
    const figures = await started.measure();
    await started.stop();
    return figures;
  });
  const title = 'From the start of the process to the first parsed response';
  printTable({ title, figure: 'wall', unit: 'ms', beside: BESIDE }, results);
  printTable({ title: `${title}, CPU`, figure: 'cpu', unit: 'ms of CPU', beside: BESIDE }, results);
}

async function validation(record: RecordName, effort: Effort): Promise<void> {
  const text = responses[record]();
  const file = writeSample(`${record}.json`, text);
  const blocks = Math.ceil((record === 'clients' ? 3 : 30) * effort.share);
  const results = await byFigure(effort, () => launch({ job: 'validate', record, file, blocks }));
  const title = `Validation of ${record}, ${(text.length / 1_000).toFixed(1)} kB`;
  printTable({ title, figure: 'time', unit: 'µs', beside: ['JSON.parse'] }, results);
}
