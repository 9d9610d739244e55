import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { Hono } from 'hono/tiny';
import * as z from 'zod/mini';
import { ConfigurationError } from '../../errors/index.js';
import { dictionary, requiredText } from '../../schemas/fields.js';
import { isObject, parseJson } from '../../utils/json.js';
import type { Region } from '../../utils/regions.js';
import { checkOptions } from '../../validation/check-options.js';
import { isWebhookEventType } from '../../webhooks/events.js';
import type { FakeChange } from '../fake/changes.js';
import type { FaultInput } from '../fake/faults/faults.js';
import { keyOfPair } from '../fake/records/kinds.js';
import type { CollectionName } from '../fake/records/records.js';
import { statusName } from '../fake/refusals.js';
import { errorBody } from '../fake/responses.js';
import { createFixtures } from '../fixtures/fixtures.js';
import { type SendOptions, type SubscribeOptions, sendSchema } from '../sending/options.js';
import type { ControlledFake } from './controlled-fake.js';
import { addPage } from './page/routes.js';

/** The most characters that wait for a watcher of changes: one that does not read must not fill the memory. */
const MAX_PENDING_CHARACTERS = 16_777_216;

/** Responds to a request that changes something. */
function after(change: () => void): (context: Context) => Response {
  return (context) => {
    change();
    return context.json({ success: true });
  };
}

/** Creates the HTTP API below `/_fake`, for the page and for tests in other languages. */
export function createControl(fake: ControlledFake): (request: Request) => Response | Promise<Response> {
  const app = new Hono();

  app.get('/_fake/state', (context) =>
    context.json({
      records: fake.snapshot().records,
      subscriptions: fake.webhooks.subscriptions,
      faults: fake.faults.list(),
      requests: fake.requests.length,
      deliveries: fake.webhooks.deliveries.length,
    }),
  );

  addRecordRoutes(app, fake);
  addWebhookRoutes(app, fake);
  addFaultRoutes(app, fake);
  app.get('/_fake/requests', (context) => context.json({ requests: filtered(fake.requests, context) }));
  app.delete(
    '/_fake/requests',
    after(() => fake.clearRequests()),
  );

  app.post('/_fake/reset', async (context) => {
    // `reset` checks its options.
    fake.reset(await bodyOf(context));
    return context.json({ success: true });
  });

  app.get('/_fake/changes', (context) => {
    const isBrief = context.req.query('brief') !== undefined;
    return streamSSE(context, (stream) => sendChanges(fake, stream, isBrief));
  });

  addPage(app, fake);

  app.notFound((context) => {
    const { method, path } = context.req;
    return errorResponse(context, 404, `There is no ${method} ${path}. See the guide "Testing".`);
  });
  app.onError((error, context) => {
    return errorResponse(context, error instanceof ConfigurationError ? 400 : 500, error.message);
  });
  return (request) => app.fetch(request);
}

/**
 * Sends each change, until the watcher leaves or too much waits for it.
 *
 * @param isBrief - Sends the id of a request or a delivery only, as the page needs it.
 */
async function sendChanges(fake: ControlledFake, stream: SSEStreamingApi, isBrief: boolean): Promise<void> {
  let pending = 0;
  let stop: (() => void) | undefined;
  await new Promise<void>((resolve) => {
    stream.onAbort(resolve);
    // The first bytes: nothing is missed from here on.
    void stream.writeSSE({ event: 'open', data: '{}' });
    stop = fake.onChange((whole) => {
      if (pending > MAX_PENDING_CHARACTERS) return resolve();
      const { type, ...change } = isBrief ? briefly(whole) : whole;
      const data = JSON.stringify(change);
      pending += data.length;
      void stream.writeSSE({ event: type, data }).then(() => (pending -= data.length));
    });
  });
  stop?.();
}

function briefly(change: FakeChange): { readonly type: string; readonly id?: string } {
  if (change.type === 'request') return { type: 'request', id: change.request.id };
  return change.type === 'delivery' ? { type: 'delivery', id: change.delivery.id } : change;
}

function addRecordRoutes(app: Hono, { records }: ControlledFake): void {
  app.get('/_fake/records/:region/:collection', (context) =>
    context.json({ records: records.list(...collectionOf(context)) }),
  );
  app.post('/_fake/records/:region/:collection', async (context) =>
    context.json({ record: records.add(...collectionOf(context), await bodyOf(context)) }),
  );
  app.patch('/_fake/records/:region/:collection/:id{.+}', async (context) =>
    context.json({
      record: records.change(...collectionOf(context), recordIdOf(context), await bodyOf(context)),
    }),
  );
  app.delete('/_fake/records/:region/:collection/:id{.+}', (context) =>
    foundOrNot(context, records.remove(...collectionOf(context), recordIdOf(context))),
  );
}

function addWebhookRoutes(app: Hono, { webhooks }: ControlledFake): void {
  app.get('/_fake/subscriptions', (context) => context.json({ subscriptions: webhooks.subscriptions }));
  app.post('/_fake/subscriptions', async (context) => {
    const { url, ...options } = await bodyOf(context);
    checkOptions(requiredText, url, { of: 'url' });
    // `subscribe` checks its options.
    webhooks.subscribe(String(url), options as SubscribeOptions);
    return context.json({ subscription: webhooks.subscriptions.at(-1) });
  });
  app.delete('/_fake/subscriptions/:id', (context) =>
    foundOrNot(context, webhooks.unsubscribe(context.req.param('id'))),
  );

  app.post('/_fake/events', async (context) => {
    const { type, payload, ...options } = await bodyOf(context);
    checkOptions(eventSchema, { type, payload }, { of: 'the event' });
    checkNotFields(String(type), options);
    // Checked above; `send` checks its options.
    const fields = payload as Readonly<Record<string, unknown>> | undefined;
    return context.json({ deliveries: await webhooks.send(String(type), fields, options as SendOptions) });
  });
  app.get('/_fake/deliveries', (context) =>
    context.json({ deliveries: filtered(webhooks.deliveries, context) }),
  );
  app.delete(
    '/_fake/deliveries',
    after(() => webhooks.clear()),
  );
  app.post('/_fake/deliveries/:id/resend', async (context) =>
    context.json({ delivery: await webhooks.resend(context.req.param('id')) }),
  );
}

function addFaultRoutes(app: Hono, { faults }: ControlledFake): void {
  app.get('/_fake/faults', (context) => context.json({ faults: faults.list() }));
  app.post('/_fake/faults', async (context) => {
    // `inject` checks every field.
    const { id } = faults.inject((await bodyOf(context)) as unknown as FaultInput);
    return context.json({ fault: faults.list().find((fault) => fault.id === id) });
  });
  app.delete(
    '/_fake/faults',
    after(() => faults.clear()),
  );
  app.delete('/_fake/faults/:id', (context) => foundOrNot(context, faults.remove(context.req.param('id'))));
}

/** Refuses fields of the payload beside `type`. */
function checkNotFields(type: string, options: object): void {
  if (!isWebhookEventType(type)) return;
  const payload = createFixtures().event(type).payload;
  const [field] = Object.keys(options).filter((name) => name in payload && !(name in sendSchema.shape));
  if (field === undefined) return;
  throw new ConfigurationError(`the event: ${field} is a field: put it into \`payload\`.`, { option: field });
}

const eventSchema = /* @__PURE__ */ z.strictObject({ type: requiredText, payload: dictionary });

function errorResponse(context: Context, status: 400 | 404 | 500, message: string): Response {
  return context.json(errorBody(statusName(status), message), status);
}

function foundOrNot(context: Context, wasThere: boolean): Response {
  return wasThere
    ? context.json({ success: true })
    : errorResponse(context, 404, `There is no ${context.req.path}.`);
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
  const parts = context.req.path.split('/').slice(5).map(decodeURIComponent);
  const [agentId = '', convoId] = parts;
  const isPair = context.req.param('collection') === 'conversations' && convoId !== undefined;
  return isPair ? keyOfPair(agentId, convoId) : parts.join('/');
}

/** The entries whose fields equal the query: `?status=503&endpoint=getTool`. */
function filtered<Entry extends object>(entries: readonly Entry[], context: Context): readonly Entry[] {
  const filters = Object.entries(context.req.query());
  return entries.filter((entry) => {
    const fields = new Map(Object.entries(entry));
    return filters.every(([name, value]) => String(fields.get(name)) === value);
  });
}
