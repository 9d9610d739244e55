// Without a network: what is allocated by a call is the client's own and that of the response it reads.
import { readFileSync } from 'node:fs';
import { allocation, collectedHeap, repeat } from './allocation.mjs';
import { report, task } from './measure.mjs';

const text = readFileSync(task.body, 'utf8');
const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
const { connect } = await import(`./clients/${task.client}.mjs`);
const call = connect('http://127.0.0.1:1', async () => new Response(text, { headers }));

await repeat(call, task.warmUp);
report('allocation', task.subject, await allocation(call, 1_000));
const before = await collectedHeap();
await repeat(call, task.calls);
report('retained', task.subject, ((await collectedHeap()) - before) / 1024);
