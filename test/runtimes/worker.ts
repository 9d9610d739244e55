import { serveWorker } from './workerd.js';

/** Runs the suite inside a worker. Returns its results. */
export async function runInWorker(consumer: string, fakeUrl: string): Promise<unknown> {
  using worker = await serveWorker(consumer, 'worker.mjs');
  const body = JSON.stringify({ fakeUrl, runtime: 'workerd' });
  return await (await fetch(worker.url, { method: 'POST', body })).json();
}
