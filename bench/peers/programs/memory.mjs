// Without a network: what is allocated by a call is the client's own and that of the response it reads.
// Needs --expose-gc, and a young generation so large that nothing is collected while allocations are counted.
import { readFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { report, task } from './measure.mjs';

const text = readFileSync(task.body, 'utf8');
const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
const { connect } = await import(`./clients/${task.client}.mjs`);
const call = connect('http://127.0.0.1:1', async () => new Response(text, { headers }));

const heapUsed = () => process.memoryUsage().heapUsed;
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function repeat(calls) {
  for (let done = 0; done < calls; done += 1) await call();
  await settle();
}

async function collectedHeap() {
  await settle();
  globalThis.gc();
  await settle();
  globalThis.gc();
  return heapUsed();
}

async function allocation(calls) {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  await collectedHeap();
  observer.observe({ entryTypes: ['gc'] });
  const before = heapUsed();
  await repeat(calls);
  const after = heapUsed();
  collections += observer.takeRecords().length;
  observer.disconnect();
  if (collections > 0) throw new Error('collected while counting: the young generation is too small');
  return (after - before) / calls;
}

await repeat(task.warmUp);
report('allocation', task.subject, (await allocation(1_000)) / 1024);
const before = await collectedHeap();
await repeat(task.calls);
report('retained', task.subject, ((await collectedHeap()) - before) / 1024);
