import * as z from 'zod/mini';
import { parseJson } from '../ground/json.js';
import { flag, number, text, texts } from '../schemas/leaf.js';
import { closedObject } from '../schemas/object.js';
import { isWebhookEventType } from '../webhooks/events.js';
import type { FaultInput, Faults } from './faults/faults.js';
import { isJson, issueLines } from './json-body.js';
import { jsonResponse } from './json-response.js';
import { errorBody } from './refusal.js';
import type { FakeRequest } from './request-log.js';
import type { SendOptions } from './webhooks/options.js';
import type { FakeWebhooks } from './webhooks/webhooks.js';
import { describeIssue, fromZodIssues } from './zod-issues.js';

/** The parts of a fake that can be reached over HTTP. */
export interface Controlled {
  readonly faults: Faults;
  readonly webhooks: FakeWebhooks;
  readonly requests: readonly FakeRequest[];
  reset(): void;
}

/** What a control request can be refused for. */
class ControlError extends Error {
  readonly issues: readonly string[];

  constructor(message: string, issues: readonly string[] = []) {
    super(message);
    this.issues = issues;
  }
}

const region = z.optional(z.enum(['eu', 'na']));
const EventSchema = closedObject({
  type: z.string(),
  overrides: z.optional(z.record(z.string(), z.unknown())),
  region,
  workspaceId: text,
  copies: number,
  forged: flag,
});
const SubscriptionSchema = closedObject({ url: z.string(), events: texts, region, workspaceId: text });

type Action = (fake: Controlled, request: Request) => unknown;

/** What can be asked of a fake that was told to `listen({ control: true })`, below `/_fake`. */
const actions: Readonly<Record<string, Action>> = {
  'POST /events': async ({ webhooks }, request) => {
    const { type, overrides = {}, ...options } = await parsed(EventSchema, request);
    return { deliveries: await sendEvent(webhooks, type, overrides, options) };
  },
  'POST /subscriptions': async ({ webhooks }, request) => {
    const { url, ...options } = await parsed(SubscriptionSchema, request);
    webhooks.subscribe(url, options);
    return done(`Subscribed ${url}.`);
  },
  'POST /faults': async ({ faults }, request) => {
    const fault = await parsed(z.record(z.string(), z.unknown()), request);
    if (fault.kind === 'refused') {
      throw new ControlError('A server that listens cannot refuse a connection: "reset" can be had.');
    }
    // `inject` checks every field of what it is given.
    faults.inject(fault as unknown as FaultInput);
    return done('The fault waits for its calls.');
  },
  'DELETE /faults': ({ faults }) => {
    faults.clear();
    return done('No fault is left.');
  },
  'POST /reset': (fake) => {
    fake.reset();
    return done('Everything is as in the beginning.');
  },
  'GET /requests': ({ requests }) => ({ requests }),
  'GET /deliveries': ({ webhooks }) => ({ deliveries: webhooks.deliveries }),
};

/** Answers a request below `/_fake`: for people whose tests are not in JavaScript. */
export async function control(fake: Controlled, request: Request): Promise<Response> {
  const name = `${request.method} ${new URL(request.url).pathname.replace(/^\/_fake/, '')}`;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) {
    const known = Object.keys(actions).map((each) => each.replace(' ', ' /_fake'));
    return jsonResponse(errorBody(`There is ${known.join(', ')}.`, 'unknown_control'), 404);
  }
  try {
    return jsonResponse(await action(fake, request), 200);
  } catch (error) {
    const issues = error instanceof ControlError ? error.issues : [];
    const message = error instanceof Error ? error.message : String(error);
    return jsonResponse(errorBody(message, 'invalid_control', issues), 400);
  }
}

function done(message: string): object {
  return { success: true, message };
}

function sendEvent(
  webhooks: FakeWebhooks,
  type: string,
  overrides: Readonly<Record<string, unknown>>,
  options: SendOptions,
): Promise<unknown> {
  // What an event is overridden with is the caller's own affair, wrong types included: receivers meet those too.
  if (isWebhookEventType(type)) return webhooks.send(type, overrides, options);
  return webhooks.sendUnknown(type, overrides, options);
}

async function parsed<Schema extends z.core.$ZodType>(
  schema: Schema,
  request: Request,
): Promise<z.output<Schema>> {
  // A page in a browser cannot send this content type elsewhere without asking first, and is not answered.
  if (!isJson(request)) {
    throw new ControlError('The body must be application/json.');
  }
  const value = parseJson(await request.text());
  if (value === undefined) throw new ControlError('The body is not JSON.');
  const result = z.safeParse(schema, value, { error: describeIssue });
  if (result.success) return result.data;
  throw new ControlError('The body is wrong.', issueLines(fromZodIssues(result.error.issues)));
}
