// GET /ready, for the load balancer: 503 while the inbox can't store events, and after SIGTERM.
import { connection } from 'next/server';
import { getWebhooks } from '../../lib/webhooks.ts';

export async function GET(): Promise<Response> {
  await connection(); // not while Next builds
  const webhooks = getWebhooks();
  const health = await webhooks.inbox.health();
  return Response.json(health, { status: health.ready && !webhooks.isEnding ? 200 : 503 });
}
