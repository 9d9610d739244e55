// Claims and completes events until far more were seen than are remembered. Keys are made outside of the time taken.
import { randomBytes } from 'node:crypto';
import { createMemoryDedupe } from 'agent-platform-sdk';
import { cpuMicros, report, task } from './measure.mjs';

const DAY = 86_400_000;
const BATCH = 1_000;
const store = createMemoryDedupe({ maxKeys: task.maxKeys });
const keys = () => Array.from({ length: BATCH }, () => randomBytes(32).toString('hex'));
let seen = 0;

function fillTo(total) {
  while (seen < total) {
    for (const key of keys()) claimAndComplete(key);
    seen += BATCH;
  }
}

function claimAndComplete(key) {
  if (store.claim(key, 'owner', 10_000) !== 'new') throw new Error('a new key was not new');
  void store.complete(key, 'owner', DAY);
}

function microsPerClaim(batches) {
  let micros = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const fresh = keys();
    const begun = cpuMicros();
    for (const key of fresh) claimAndComplete(key);
    micros += cpuMicros() - begun;
  }
  seen += batches * BATCH;
  return micros / (batches * BATCH);
}

function collectedHeap() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const empty = collectedHeap();
for (const total of task.totals) {
  fillTo(total);
  report('dedupe', `${total.toLocaleString('en')} seen`, microsPerClaim(task.batches));
  if (total >= task.maxKeys) {
    const bytes = (collectedHeap() - empty) / task.maxKeys;
    report('dedupe-memory', `${total.toLocaleString('en')} seen`, bytes);
  }
}
