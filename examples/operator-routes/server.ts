// Routes for the operator: liveness, readiness, and a small page of dead letters, beside the webhook.
// Keep the second port away from the internet: dead letters contain what people wrote.
// Start it with: AGENT_PLATFORM_WEBHOOK_SECRET=… INBOX=/data/webhooks.db PORT=3000 OPERATOR_PORT=3001 node examples/operator-routes/server.ts
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createWebhookReceiver, drain } from 'agent-platform-sdk';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';

const inbox = createSqliteInbox({
  path: process.env.INBOX ?? 'webhooks.db',
  attempts: Number(process.env.ATTEMPTS ?? 16),
});
const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox });

inbox.work({
  lead_captured: ({ payload }) => {
    if (!payload.leadEmail?.includes('@')) throw new Error('The CRM takes no lead without an address.');
    console.log(`lead: ${payload.leadEmail}`);
  },
});

const server = createServer(receiver.node).listen(Number(process.env.PORT ?? 3000));
server.keepAliveTimeout = 65_000; // longer than that of the load balancer in front

let isEnding = false;

const operator = createServer((request, response) => {
  respond(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(Number(process.env.OPERATOR_PORT ?? 3001), '127.0.0.1');

async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const url = new URL(request.url ?? '/', 'http://operator');
  const id = url.searchParams.get('id') ?? '';
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /alive':
      return response.end('alive');
    case 'GET /ready': {
      const health = await inbox.health();
      // Fails from SIGTERM on, so that the balancer looks elsewhere.
      response.writeHead(health.ready && !isEnding ? 200 : 503, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(health));
    }
    case 'GET /dead-letters':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      return response.end(await deadLetterPage(url.searchParams.get('after') ?? ''));
    case 'POST /dead-letters/replay':
      if (isForeign(request)) return response.writeHead(403).end();
      await inbox.deadLetters.replay(id);
      return response.writeHead(303, { location: '/dead-letters' }).end();
    case 'POST /dead-letters/remove':
      if (isForeign(request)) return response.writeHead(403).end();
      await inbox.deadLetters.remove(id);
      return response.writeHead(303, { location: '/dead-letters' }).end();
    default:
      return response.writeHead(404).end();
  }
}

/** Refuses a form that another site's page posts to this port. */
function isForeign({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}

async function deadLetterPage(after: string): Promise<string> {
  const page = await inbox.deadLetters.list({ after, limit: 20 });
  const rows = page.map(({ id, webhook, reason, attempts, failedAt }) => {
    const button = (action: string) =>
      `<form method="post" action="/dead-letters/${action}?id=${encodeURIComponent(id)}"><button>${action}</button></form>`;
    const cells = [new Date(failedAt).toISOString(), webhook.type ?? '', String(attempts), reason];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}<td>${button('replay')}${button('remove')}</td></tr>`;
  });
  const last = page.at(-1);
  const more = last === undefined ? '' : `<a href="?after=${encodeURIComponent(last.id)}">more</a>`;
  return `<!doctype html><title>Dead letters</title><h1>Dead letters</h1><table>${rows.join('')}</table>${more}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

process.once('SIGTERM', async () => {
  isEnding = true;
  await drain(server, { inbox, delay: Number(process.env.DRAIN_DELAY ?? 0) });
  operator.close();
  operator.closeAllConnections();
});
