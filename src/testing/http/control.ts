import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { Hono } from 'hono/tiny';
import { ConfigurationError } from '../../errors/index.js';
import { isObject, parseJson } from '../../utils/json.js';
import type { Region } from '../../utils/regions.js';
import { checkName } from '../../validation/check-options.js';
import type { FaultInput } from '../fake/faults/faults.js';
import { keyOfPair } from '../fake/records/kinds.js';
import type { CollectionName } from '../fake/records/records.js';
import { statusName } from '../fake/refusals.js';
import { errorBody } from '../fake/responses.js';
import { decodeSegment } from '../fake/route.js';
import type { SendOptions, SubscribeOptions } from '../sending/options.js';
import type { Payload } from '../sending/payload.js';
import type { ControlledFake } from './controlled-fake.js';
import { addPage } from './page/routes.js';

/** The most characters that wait for a watcher of changes: one that does not read must not fill the memory. */
const MAX_PENDING_CHARACTERS = 16_777_216;

/** Shorter than any client and proxy waits for the next byte: Node's `fetch` 300 s (undici, `bodyTimeout`). */
const HEARTBEAT_MS = 15_000;

/** Creates the HTTP API below `/_fake`, for the page and for tests in other languages. */
export function createControl(fake: ControlledFake): (request: Request) => Response | Promise<Response> {
  const app = new Hono();
  const api = app.basePath('/_fake');
  api.get('/state', (context) =>
    context.json({
      records: fake.snapshot().records,
      subscriptions: fake.webhooks.subscriptions,
      faults: fake.faults.list(),
      requests: fake.requests.length,
      deliveries: fake.webhooks.deliveries.length,
    }),
  );
  addRecordRoutes(api, fake);
  addWebhookRoutes(api, fake);
  addFaultRoutes(api, fake);
  api.get('/requests', (context) =>
    context.json({ requests: filtered(fake.requests, REQUEST_FILTERS, context) }),
  );
  api.delete('/requests', (context) => done(context, fake.clearRequests()));
  // `reset` checks its options.
  api.post('/reset', async (context) => done(context, fake.reset(await bodyOf(context))));
  api.get('/changes', (context) => streamSSE(context, (stream) => sendChanges(fake, stream)));
  addPage(app, fake);
  app.notFound((context) => {
    const { method, path } = context.req;
    return errorResponse(context, 404, `There is no ${method} ${path}. See the guide "Testing".`);
  });
  app.onError((error, context) =>
    errorResponse(context, error instanceof ConfigurationError ? 400 : 500, error.message),
  );
  return (request) => app.fetch(request);
}

/** Sends each change, until the watcher leaves or too much waits for it. */
async function sendChanges(fake: ControlledFake, stream: SSEStreamingApi): Promise<void> {
  let pending = 0;
  let stop: (() => void) | undefined;
  const heartbeat = setInterval(() => void stream.write(': still here\n\n'), HEARTBEAT_MS);
  await new Promise<void>((resolve) => {
    stream.onAbort(resolve);
    // The first bytes: nothing is missed from here on.
    void stream.writeSSE({ event: 'open', data: '{}' });
    stop = fake.onChange(({ type, ...change }) => {
      if (pending > MAX_PENDING_CHARACTERS) return resolve();
      const data = JSON.stringify(change);
      pending += data.length;
      void stream.writeSSE({ event: type, data }).then(() => (pending -= data.length));
    });
  });
  clearInterval(heartbeat);
  stop?.();
}

function addRecordRoutes(api: Hono, { records }: ControlledFake): void {
  const [list, one] = ['/records/:region/:collection', '/records/:region/:collection/:id{.+}'];
  api.get(list, (context) => context.json({ records: records.list(...collectionOf(context)) }));
  api.post(list, async (context) =>
    context.json({ record: records.add(...collectionOf(context), await bodyOf(context)) }),
  );
  api.patch(one, async (context) => {
    const record = records.change(...collectionOf(context), recordIdOf(context), await bodyOf(context));
    return context.json({ record });
  });
  api.delete(one, (context) => done(context, records.remove(...collectionOf(context), recordIdOf(context))));
}

function addWebhookRoutes(api: Hono, { webhooks }: ControlledFake): void {
  api.get('/subscriptions', (context) => context.json({ subscriptions: webhooks.subscriptions }));
  api.post('/subscriptions', async (context) => {
    const { url, ...options } = await bodyOf(context);
    // `subscribe` checks both.
    webhooks.subscribe(url as string, options as SubscribeOptions);
    return context.json({ subscription: webhooks.subscriptions.at(-1) });
  });
  api.delete('/subscriptions/:id', (context) => done(context, webhooks.unsubscribe(context.req.param('id'))));
  api.post('/events', async (context) => {
    const { type, payload, ...options } = await bodyOf(context);
    // `send` checks all three.
    const deliveries = await webhooks.send(type as string, payload as Payload, options as SendOptions);
    return context.json({ deliveries });
  });
  api.get('/deliveries', (context) =>
    context.json({ deliveries: filtered(webhooks.deliveries, DELIVERY_FILTERS, context) }),
  );
  api.delete('/deliveries', (context) => done(context, webhooks.clear()));
  api.post('/deliveries/:id/resend', async (context) =>
    context.json({ delivery: await webhooks.resend(context.req.param('id')) }),
  );
}

function addFaultRoutes(api: Hono, { faults }: ControlledFake): void {
  api.get('/faults', (context) => context.json({ faults: faults.list() }));
  // `inject` checks every field.
  api.post('/faults', async (context) =>
    context.json({ fault: faults.inject((await bodyOf(context)) as unknown as FaultInput) }),
  );
  api.delete('/faults', (context) => done(context, faults.clear()));
  api.delete('/faults/:id', (context) => done(context, faults.remove(context.req.param('id'))));
}

function errorResponse(context: Context, status: 400 | 404 | 500, message: string): Response {
  return context.json(errorBody(statusName(status), message), status);
}

/** Responds to a change. It is false if there was nothing to change. */
function done(context: Context, result: boolean | void): Response {
  if (result === false) return errorResponse(context, 404, `There is no ${context.req.path}.`);
  return context.json({ success: true });
}

/** The body as an object; an empty one is `{}`. */
async function bodyOf(context: Context): Promise<Readonly<Record<string, unknown>>> {
  const sent = await context.req.text();
  const body = sent === '' ? {} : parseJson(sent);
  if (isObject(body)) return body;
  throw new ConfigurationError('The body must be a JSON object.', { option: 'body' });
}

/** The names in the path, which `records` checks. */
function collectionOf(context: Context): [Region, CollectionName] {
  return [context.req.param('region') as Region, context.req.param('collection') as CollectionName];
}

/** The id in the path; of a conversation, that of its agent before it. */
function recordIdOf(context: Context): string {
  const parts = context.req.path.split('/').slice(5).map(decodeSegment);
  const [agentId = '', convoId] = parts;
  const isPair = context.req.param('collection') === 'conversations' && convoId !== undefined;
  return isPair ? keyOfPair(agentId, convoId) : parts.join('/');
}

/** The fields that a query can filter by. */
const LOG_FILTERS = ['id', 'region', 'secretOf', 'status', 'duration'] as const;
const REQUEST_FILTERS = [...LOG_FILTERS, 'method', 'path', 'query', 'endpoint', 'fault'] as const;
const DELIVERY_FILTERS = [...LOG_FILTERS, 'type', 'address', 'outcome', 'error'] as const;

/** The entries whose fields equal the query: `?status=503&endpoint=getTool`. */
function filtered<Entry extends object>(
  entries: readonly Entry[],
  names: readonly (string & keyof Entry)[],
  context: Context,
): readonly Entry[] {
  const filters = Object.entries(context.req.query());
  // A misspelt one would be an empty list, and prove that nothing failed.
  for (const [name] of filters) checkName('filter', name, names);
  return entries.filter((entry) => {
    const fields = new Map(Object.entries(entry));
    return filters.every(([name, value]) => String(fields.get(name)) === value);
  });
}
