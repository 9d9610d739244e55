/**
 * Measures this package beside its peers and prints tables: `tsx bench/run.ts calls deliveries inbox file
 * memory`, or only some of them. `--rounds 9` takes more rounds; `--smoke` takes a tiny one that only shows that
 * everything runs.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { calls } from './calls.js';
import { deliveries } from './deliveries.js';
import { inbox } from './inbox.js';
import { inboxInFile } from './inbox-file.js';
import { memory } from './memory.js';
import type { Effort } from './rounds.js';

const tables = { calls, deliveries, inbox, file: inboxInFile, memory };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(tables, name));
if (unknown.length > 0)
  throw new Error(`Unknown table ${unknown.join(', ')}. Known: ${Object.keys(tables).join(', ')}`);

const effort: Effort = values.smoke
  ? { rounds: 1, share: 0.01 }
  : { rounds: Number(values.rounds), share: 1 };
console.log(
  `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${effort.rounds} rounds.`,
);
console.log('Medians, with minimum and maximum. Each ratio is taken within a turn.');
for (const [name, table] of Object.entries(tables)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`\n# ${name}`);
  await table(effort);
}
