// A server of webhooks under load from this process, over keep-alive connections. The server is a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { report, task } from './measure.mjs';

const WIDTH = 32;
const template = readFileSync(task.body, 'utf8');
const server = fork(fileURLToPath(new URL('receiver-server.mjs', import.meta.url)), [JSON.stringify(task)]);
const [port] = await once(server, 'message');

let answered = 0;
let createdAt = 1_700_000_000_000;

/** Each event is another one: `createdAt` is written over its place, which is always 13 digits wide. */
function requestBuffer() {
  const head = [
    'POST /webhooks HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(template)}`,
  ];
  const request = Buffer.from(`${head.join('\r\n')}\r\n\r\n${template}`);
  return { request, at: request.indexOf('"createdAt":') + 12 };
}

function keepPosting() {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  const { request, at } = requestBuffer();
  const post = () => {
    createdAt += 1;
    request.write(String(createdAt), at, 'latin1');
    socket.write(request);
  };
  socket.on('data', (data) => {
    if (!data.includes('HTTP/1.1 200')) throw new Error(data.toString());
    answered += 1;
    post();
  });
  socket.on('connect', post);
}

async function serverCpu() {
  server.send('cpu');
  const [micros] = await once(server, 'message');
  return micros;
}

/** Resolves when so many requests were answered since now. */
async function answers(count) {
  const target = answered + count;
  // Never asleep: waking this process would be charged to the server, and most to the one that lets it sleep.
  while (answered < target) await setImmediate();
}

for (let lane = 0; lane < WIDTH; lane += 1) keepPosting();
await answers(task.requests / 2);
const from = { answered, at: performance.now(), cpu: await serverCpu() };
await answers(task.requests);
const to = { answered, at: performance.now(), cpu: await serverCpu() };
const count = to.answered - from.answered;
report(`receiver ${task.size}`, task.subject, (count / (to.at - from.at)) * 1000);
report(`receiver-cpu ${task.size}`, task.subject, (count / (to.cpu - from.cpu)) * 1_000_000);
server.disconnect();
process.exit(0);
