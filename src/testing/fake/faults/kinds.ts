import * as z from 'zod/mini';
import { text } from '../../../schemas/fields.js';
import { redact } from '../../../utils/redact.js';
import { MAX_TIMER_MS } from '../../../utils/waiting.js';
import { numberBetween, oneOf, wholeNumber } from '../../../validation/options.js';
import { statusName } from '../refusals.js';
import { type Answer, errorBody, hasNoBody, jsonResponse, readable } from '../responses.js';
import { breakOff, connectionError, damage, stall, truncate } from './damage.js';

/** A response with a status, most often an error, with the error body of section 7. */
export interface StatusFault {
  /** The kind of fault. */
  readonly kind?: 'status' | undefined;
  /** From 200 to 599. */
  readonly status: number;
  /** `code` of the error body. Default: the name of the status, such as `SERVICE_UNAVAILABLE`. */
  readonly code?: string | undefined;
  /** `message` of the error body. */
  readonly message?: string | undefined;
  /** The header `Retry-After`: seconds, or any text that a header can have. */
  readonly retryAfter?: number | string | undefined;
  /** More headers, such as the `location` of a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An HTML page, like a proxy's. */
export interface HtmlFault {
  /** The kind of fault. */
  readonly kind: 'html';
  /** Default 502. */
  readonly status?: number | undefined;
}

/** A response without a body. */
export interface EmptyFault {
  /** The kind of fault. */
  readonly kind: 'empty';
  /** Default 200. */
  readonly status?: number | undefined;
}

/** A JSON body that does not match the operation. */
export interface WrongShapeFault {
  /** The kind of fault. */
  readonly kind: 'wrong-shape';
  /** Default 200. */
  readonly status?: number | undefined;
  /** Any JSON value. Default `{ "unexpected": true }`. */
  readonly body?: unknown;
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

/** The connection is never made. A server that listens cannot refuse: over HTTP, the connection is reset. */
export interface RefusedFault {
  /** The kind of fault. */
  readonly kind: 'refused';
}

/** The response comes late. Can be combined with any other fault. */
export interface LatencyFault {
  /** The kind of fault. */
  readonly kind: 'latency';
  /** Milliseconds. Several latencies add up. */
  readonly ms: number;
}

/** A failure of a call. */
export type Fault =
  | StatusFault
  | HtmlFault
  | EmptyFault
  | WrongShapeFault
  | TruncatedFault
  | StallFault
  | ResetFault
  | RefusedFault
  | LatencyFault;

/** The name of a fault. */
export type FaultKind = NonNullable<Fault['kind']>;

/** A call that a fault is applied to. */
export interface FaultedCall {
  /** Aborted when the client goes away, and by a reset. */
  readonly signal: AbortSignal;
  /** Performs the operation. */
  readonly perform: () => Promise<Answer>;
}

/** Answers a call with a fault. Rejects like `fetch` if there is no response. */
export type AnswerFault<Each extends Fault> = (
  fault: Each & { readonly acts?: boolean | undefined },
  call: FaultedCall,
) => Promise<Answer>;

/** What there is to know about a kind of fault. */
interface FaultRow<Kind extends FaultKind> {
  /** The schemas of its fields, beside those of the scope. */
  readonly fields: z.core.$ZodShape;
  /** Its fields with common values, to begin with on the page. */
  readonly example: object;
  readonly answer: AnswerFault<Kind extends 'status' ? StatusFault : Extract<Fault, { readonly kind: Kind }>>;
}

const status = /* @__PURE__ */ wholeNumber(200, 599);
const delayMs = /* @__PURE__ */ numberBetween(0, MAX_TIMER_MS);

// What `new Headers` accepts: it would throw later.
const headerName = /* @__PURE__ */ z
  .string()
  .check(/* @__PURE__ */ z.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header'));
const headerValue = /* @__PURE__ */ z
  .string()
  .check(/* @__PURE__ */ z.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be a text that a header can have'));

const resetAtStart = /* @__PURE__ */ replaces(() => {
  throw connectionError('read ECONNRESET', 'ECONNRESET');
});

/** Every kind of fault, a row each: a missing one does not compile. */
export const faultTable: { readonly [Kind in FaultKind]: FaultRow<Kind> } = {
  status: {
    example: { status: 503, retryAfter: 1 },
    fields: {
      status,
      code: text,
      message: text,
      retryAfter: z.optional(z.union([z.number(), headerValue])),
      headers: z.optional(z.record(headerName, headerValue)),
    },
    answer: replaces(statusResponse),
  },
  html: {
    example: { status: 502 },
    fields: { status: z.optional(status) },
    answer: replaces(htmlPage),
  },
  empty: {
    example: { status: 200 },
    fields: { status: z.optional(status) },
    answer: replaces(({ status: code = 200 }) => new Response(null, { status: code })),
  },
  'wrong-shape': {
    example: { status: 200, body: { unexpected: true } },
    fields: { status: z.optional(status), body: z.optional(z.unknown()) },
    answer: replaces(({ status: code = 200, body = { unexpected: true } }) => jsonResponse(body, code)),
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
  refused: {
    example: {},
    fields: {},
    answer: replaces(() => {
      throw connectionError('connect ECONNREFUSED', 'ECONNREFUSED');
    }),
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
function replaces<Each extends Fault>(makeResponse: (fault: Each) => Response): AnswerFault<Each> {
  return async (fault, { perform }) => {
    if (fault.acts === true) await perform();
    const response = makeResponse(fault);
    return { response, body: redact(readable(await response.clone().text())) };
  };
}

function statusResponse({ status: code, retryAfter, headers = {}, ...fault }: StatusFault): Response {
  const { message = `Injected fault: ${code}.` } = fault;
  const response = jsonResponse(errorBody(fault.code ?? statusName(code), message), code);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  return response;
}

function htmlPage({ status: code = 502 }: HtmlFault): Response {
  const page = `<!doctype html><title>${code}</title><h1>${code}</h1><p>Injected fault: HTML.</p>`;
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  return new Response(hasNoBody(code) ? null : page, { status: code, headers });
}
