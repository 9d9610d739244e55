import * as z from 'zod/mini';
import { parseJson } from '../ground/json.js';
import { isLoopback } from '../ground/loopback.js';
import { flag, number, text, texts } from '../schemas/leaf.js';
import { closedObject } from '../schemas/object.js';
import { isWebhookEventType } from '../webhooks/events.js';
import { checkInput } from './check-input.js';
import type { FakeWebhooks, SendOptions } from './fake-webhooks.js';
import type { FaultInput, Faults } from './faults/faults.js';
import { targetAddress } from './hosts.js';
import { errorResponse, isJson, issueLines, jsonResponse } from './http-json.js';
import type { FakeRequest } from './request-log.js';

/** The parts of a fake that can be reached over HTTP. */
export interface Controlled {
  readonly faults: Faults;
  readonly webhooks: FakeWebhooks;
  readonly requests: readonly FakeRequest[];
  reset(): void;
}

/** Refuses a control request. */
class ControlError extends Error {
  readonly issues: readonly string[];

  constructor(message: string, issues: readonly string[] = []) {
    super(message);
    this.issues = issues;
  }
}

const region = z.optional(z.enum(['eu', 'na']));
const EventSchema = closedObject(() => ({
  type: z.string(),
  overrides: z.optional(z.record(z.string(), z.unknown())),
  region,
  workspaceId: text,
  copies: number,
  forged: flag,
}));
const SubscriptionSchema = closedObject(() => ({
  url: z.string(),
  events: texts,
  region,
  workspaceId: text,
}));

/** The most addresses that are added over HTTP and get events at one time. */
const MAX_ADDRESSES = 100;

type Action = (fake: Controlled, request: Request, limits: ControlLimits) => unknown;

/** What a control request may not do. */
export interface ControlLimits {
  /** Lets events be posted to other machines. */
  readonly anyTarget: boolean;
}

/** The requests that a fake answers below `/_fake`, if it was told to `listen({ control: true })`. */
const actions: Readonly<Record<string, Action>> = {
  'POST /events': async ({ webhooks }, request) => {
    const { type, overrides = {}, ...options } = await parsed(EventSchema, request);
    return { deliveries: await sendEvent(webhooks, type, overrides, options) };
  },
  'POST /subscriptions': async ({ webhooks }, request, limits) => {
    const { url, ...options } = await parsed(SubscriptionSchema, request);
    checkTarget(url, webhooks, limits);
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
export async function control(fake: Controlled, request: Request, limits: ControlLimits): Promise<Response> {
  const name = `${request.method} ${new URL(request.url).pathname.replace(/^\/_fake/, '')}`;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) {
    const known = Object.keys(actions).map((each) => each.replace(' ', ' /_fake'));
    return errorResponse(404, 'unknown_control', `There is ${known.join(', ')}.`);
  }
  try {
    // A page in a browser cannot send this content type elsewhere without asking first, and is not answered.
    if (request.method === 'POST' && !isJson(request)) {
      throw new ControlError('The content type must be application/json.');
    }
    return jsonResponse(await action(fake, request, limits), 200);
  } catch (error) {
    const issues = error instanceof ControlError ? error.issues : [];
    const message = error instanceof Error ? error.message : String(error);
    return errorResponse(400, 'invalid_control', message, issues);
  }
}

/** Whoever reaches the server could else have it post to places that only this machine reaches. */
function checkTarget(url: string, { subscriptions }: FakeWebhooks, { anyTarget }: ControlLimits): void {
  const address = targetAddress('url', url);
  if (!anyTarget && !isLoopback(new URL(address).hostname)) {
    throw new ControlError(
      `url must be on this machine (localhost, 127.0.0.1), got ${address}: start with --host, or the option host of listen, to allow others.`,
    );
  }
  const isNew = !subscriptions.some((subscription) => subscription.address === address);
  if (isNew && subscriptions.length >= MAX_ADDRESSES) {
    throw new ControlError(`There are ${MAX_ADDRESSES} subscriptions, and no more can be added.`);
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
  // Overrides of wrong types are let through: receivers meet those too.
  if (isWebhookEventType(type)) return webhooks.send(type, overrides, options);
  return webhooks.sendUnknown(type, overrides, options);
}

async function parsed<Schema extends z.core.$ZodType>(
  schema: Schema,
  request: Request,
): Promise<z.output<Schema>> {
  const value = parseJson(await request.text());
  if (value === undefined) throw new ControlError('The body is not JSON.');
  const checked = checkInput(schema, value);
  if (checked.ok) return checked.value;
  throw new ControlError('The body is wrong.', issueLines(checked.issues));
}
