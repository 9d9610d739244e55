import * as z from 'zod/v4/mini';
import { text } from '../../../schemas/fields.js';
import { redact } from '../../../utils/redact.js';
import { MAX_TIMER_MS } from '../../../utils/waiting.js';
import { checkedBy, numberBetween, oneOf, wholeNumber } from '../../../validation/check-options.js';
import { statusName } from '../refusals.js';
import { type Answer, errorBody, hasNoBody, jsonResponse, readable } from '../responses.js';
import { breakOff, connectionError, damage, stall, truncate } from './damage.js';

/** A response in place of the real one: any status, headers and body. */
export interface StatusFault {
  /** The kind of fault. */
  readonly kind?: 'status' | undefined;
  /** From 200 to 599. */
  readonly status: number;
  /** The headers, such as the `location` of a redirect, or the `content-type` of a page. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A text is sent as it is, `''` as no body, anything else as JSON. Default: an error body (section 7). */
  readonly body?: unknown;
  /** `code` of the error body. Default: the name of the status, such as `SERVICE_UNAVAILABLE`. */
  readonly code?: string | undefined;
  /** `message` of the error body. */
  readonly message?: string | undefined;
  /** The header `Retry-After`: seconds, or any text that a header can have. */
  readonly retryAfter?: number | string | undefined;
}

/** Answers 429 with `Retry-After` if there are too many calls in a span of time. */
export interface RateLimitFault {
  /** The kind of fault. */
  readonly kind: 'rate-limit';
  /** The calls that are allowed, from 1. */
  readonly limit: number;
  /** The span in milliseconds, from 1. */
  readonly per: number;
}

/** The real response, cut in the middle of its JSON; as HTTP it is complete. */
export interface TruncatedFault {
  /** The kind of fault. */
  readonly kind: 'truncated';
}

/** The real response, whose body stops half way. */
export interface StallFault {
  /** The kind of fault. */
  readonly kind: 'stall';
  /** The bytes of the body that come first. Default: half; with 0, only status and headers come. */
  readonly after?: number | undefined;
  /** Milliseconds until the rest comes. Default: never, until the client aborts. */
  readonly ms?: number | undefined;
}

/** The connection is cut. */
export interface ResetFault {
  /** The kind of fault. */
  readonly kind: 'reset';
  /** Before any of the response (default), or in the middle of its body. */
  readonly at?: 'start' | 'body' | undefined;
}

/** The response comes late. Can be combined with any other fault. */
export interface LatencyFault {
  /** The kind of fault. */
  readonly kind: 'latency';
  /** Milliseconds. Several latencies add up. */
  readonly ms: number;
}

/** A failure of a call. */
export type Fault = StatusFault | RateLimitFault | TruncatedFault | StallFault | ResetFault | LatencyFault;

/** The name of a fault. */
export type FaultKind = NonNullable<Fault['kind']>;

/** A call that a fault is applied to. */
export interface FaultedCall {
  /** Aborted when the client goes away, and by a reset. */
  readonly signal: AbortSignal;
  /** Performs the operation. */
  readonly perform: () => Promise<Answer>;
  /** Seconds until a rate limit allows another call. */
  readonly retryAfter: number;
}

/** Answers a call with a fault. Rejects like `fetch` if there is no response. */
export type AnswerFault<Each extends Fault> = (
  fault: Each & { readonly acts?: boolean | undefined },
  call: FaultedCall,
) => Promise<Answer>;

/** The declaration of a kind of fault. */
interface FaultRow<Kind extends FaultKind> {
  /** The schemas of its fields, beside those of the scope. */
  readonly fields: z.core.$ZodShape;
  /** Its fields with common values, to begin with on the page. */
  readonly example: object;
  readonly answer: AnswerFault<Kind extends 'status' ? StatusFault : Extract<Fault, { readonly kind: Kind }>>;
}

const delayMs = /* @__PURE__ */ numberBetween(0, MAX_TIMER_MS);

// What `new Headers` accepts: it would throw later.
const headerName = /* @__PURE__ */ z
  .string()
  .check(/* @__PURE__ */ z.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header'));
const headerValue = /* @__PURE__ */ z
  .string()
  .check(/* @__PURE__ */ z.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be a text that a header can have'));

function retryAfterProblem(value: unknown): string | undefined {
  const fits = typeof value === 'number' || z.safeParse(headerValue, value).success;
  return fits ? undefined : 'must be a number, or a text that a header can have';
}

const resetAtStart = /* @__PURE__ */ replaces(() => {
  throw connectionError('read ECONNRESET', 'ECONNRESET');
});

/** Every kind of fault, a row each: a missing one does not compile. */
export const faultTable: { readonly [Kind in FaultKind]: FaultRow<Kind> } = {
  status: {
    example: { status: 503, retryAfter: 1 },
    fields: {
      status: wholeNumber(200, 599),
      headers: z.optional(z.record(headerName, headerValue)),
      body: z.optional(z.unknown()),
      code: text,
      message: text,
      retryAfter: z.optional(checkedBy(retryAfterProblem)),
    },
    answer: replaces(statusResponse),
  },
  'rate-limit': {
    example: { limit: 10, per: 1_000 },
    fields: { limit: wholeNumber(1), per: wholeNumber(1, MAX_TIMER_MS) },
    // `Faults` counts the calls.
    answer: replaces(({ limit, per }, { retryAfter }) => {
      const message = `Injected fault: more than ${limit} calls within ${per} ms.`;
      return statusResponse({ status: 429, retryAfter, message });
    }),
  },
  truncated: {
    example: {},
    fields: {},
    answer: async (_, { perform }) => damage(await perform(), truncate),
  },
  stall: {
    example: { after: 0, ms: 5_000 },
    fields: { after: z.optional(wholeNumber(0)), ms: z.optional(delayMs) },
    answer: async ({ after, ms }, { perform, signal }) =>
      damage(await perform(), (bytes) => stall(bytes, after, ms, signal)),
  },
  reset: {
    example: { at: 'start' },
    fields: { at: z.optional(oneOf(['start', 'body'])) },
    answer: async (fault, call) =>
      fault.at === 'body' ? damage(await call.perform(), breakOff) : resetAtStart(fault, call),
  },
  latency: {
    example: { ms: 2_000 },
    fields: { ms: delayMs },
    // The delay has passed: `Faults` adds up the latencies of a call.
    answer: (_, { perform }) => perform(),
  },
};

/** The names of all kinds. */
// `Object.keys` forgets the names.
export const FAULT_KINDS = /* @__PURE__ */ Object.keys(faultTable) as readonly FaultKind[];

/** Responds in place of the operation, which is performed only if the fault says so. */
/* @__NO_SIDE_EFFECTS__ */
function replaces<Each extends Fault>(
  makeResponse: (fault: Each, call: FaultedCall) => Response,
): AnswerFault<Each> {
  return async (fault, call) => {
    if (fault.acts === true) await call.perform();
    const response = makeResponse(fault, call);
    return { response, body: redact(readable(await response.clone().text())) };
  };
}

function statusResponse({ status, headers = {}, body, retryAfter, ...error }: StatusFault): Response {
  const { code = statusName(status), message = `Injected fault: ${status}.` } = error;
  const response =
    typeof body === 'string'
      ? new Response(body === '' || hasNoBody(status) ? null : body, { status })
      : jsonResponse(body === undefined ? errorBody(code, message) : body, status);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  return response;
}
