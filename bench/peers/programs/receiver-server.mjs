import { createServer } from 'node:http';
import { cpuMicros, task } from './measure.mjs';

/** A server as anyone would write it by hand: read the body, parse it, answer. */
function bare() {
  return (request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { type } = JSON.parse(Buffer.concat(chunks).toString());
      response.statusCode = type === undefined ? 400 : 200;
      response.end();
    });
  };
}

async function receiver() {
  const { createWebhookReceiver } = await import('agent-platform-sdk');
  const dedupe = task.dedupe ? {} : false;
  return createWebhookReceiver({ secret: 'bench-secret', dedupe }).onAny(() => undefined).node;
}

/** The same with a `Request` and a `Response`. */
async function srvx() {
  const { toNodeHandler } = await import('srvx/node');
  return toNodeHandler(async (request) => {
    const { type } = await request.json();
    return new Response(null, { status: type === undefined ? 400 : 200 });
  });
}

const servers = { bare, sdk: receiver, srvx };
const server = createServer(await servers[task.server]());
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('message', () => process.send(cpuMicros()));
process.on('disconnect', () => process.exit(0));
