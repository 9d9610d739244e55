// GET /ready, for the load balancer: 503 while no event can be stored, and as soon as the process is told to end.
import { connection } from 'next/server';
import { getWebhooks } from '../../lib/webhooks.ts';

export async function GET(): Promise<Response> {
  await connection(); // not while Next builds
  const webhooks = getWebhooks();
  const health = await webhooks.inbox.health();
  return Response.json(health, { status: health.ready && !webhooks.isEnding ? 200 : 503 });
}
