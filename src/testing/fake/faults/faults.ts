import * as z from 'zod/mini';
import type { Endpoint } from '../../../endpoints/endpoint.js';
import { flag, text } from '../../../schemas/fields.js';
import { redact } from '../../../utils/redact.js';
import type { Region } from '../../../utils/regions.js';
import { REGIONS } from '../../../utils/regions.js';
import { MAX_TIMER_MS, sleep } from '../../../utils/waiting.js';
import { checkName, checkOptions, numberBetween, oneOf, wholeNumber } from '../../../validation/options.js';
import type { Changes } from '../changes.js';
import { statusName } from '../choices.js';
import type { OperationName } from '../operations.js';
import type { OpenRequest } from '../requests.js';
import { errorBody, hasNoBody, jsonResponse, readable } from '../responses.js';
import { isSameOperation, type Route } from '../route.js';

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

/** The calls that a fault applies to. */
export interface FaultScope {
  /** The number of calls. Default 1. */
  readonly times?: number | 'always' | undefined;
  /** Only calls of this region. */
  readonly region?: Region | undefined;
  /** Only calls of this endpoint, or of the one with this key in `endpoints`. Default: all. */
  readonly endpoint?: Endpoint | OperationName | (string & {}) | undefined;
  /**
   * Performs the operation all the same, so that the client cannot know. Default false; always true for the faults that
   * need the real response (`truncated`, `stall`, `latency`, `reset` in the body).
   */
  readonly acts?: boolean | undefined;
}

/** A fault, and the calls it applies to. */
export type FaultInput = Fault & FaultScope;

/** A fault that was injected. */
export interface InjectedFault {
  /** `fault_1`. */
  readonly id: string;
  /** Removes the fault. */
  remove(): void;
}

/** An injected fault, with the number of calls that remain. */
export type WaitingFault = Omit<FaultInput, 'endpoint' | 'times'> & {
  /** `fault_1`. */
  readonly id: string;
  /** The name of the endpoint; undefined for all. */
  readonly endpoint: string | undefined;
  /** The number of calls it will still apply to. */
  readonly remaining: number | 'always';
  /** The number of calls it was applied to. */
  readonly hits: number;
};

/** A call that a fault may apply to. */
interface FaultedCall {
  readonly region: Region;
  /** The name of the route; undefined for an unknown one. */
  readonly endpoint: string | undefined;
  readonly request: Request;
  readonly entry: OpenRequest;
}

interface Injected {
  readonly id: string;
  /** With the name of the endpoint. */
  readonly fault: FaultInput & { readonly endpoint: string | undefined };
  remaining: number;
  hits: number;
}

/** The faults of a fake. */
export class Faults {
  readonly #routes: () => readonly Route[];
  readonly #changes: Changes;
  #injected: readonly Injected[] = [];
  #lastId = 0;

  /** @internal */
  constructor(routes: () => readonly Route[], changes: Changes) {
    this.#routes = routes;
    this.#changes = changes;
  }

  /**
   * Injects a failure into the next call, the next `times` calls, or every call. If several match, the first one
   * applies; latencies are added to it.
   *
   * @throws {ConfigurationError} If a field is wrong, or the endpoint is unknown to this fake.
   *
   * @example
   * ```ts
   * import { endpoints } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * fake.faults.inject({ endpoint: endpoints.getTool, times: 2, status: 503, retryAfter: 1 });
   * fake.faults.inject({ kind: 'reset', at: 'body' });
   * fake.faults.inject({ kind: 'latency', ms: 80, times: 'always' });
   * ```
   */
  inject(input: FaultInput): InjectedFault {
    const { kind = 'status', times = 1 } = input;
    checkName('fault', kind, FAULT_KINDS);
    checkOptions(schemaOf(kind), input, { of: 'faults.inject' });
    const endpoint = this.#nameOf(input.endpoint);
    this.#lastId += 1;
    const injected: Injected = {
      id: `fault_${this.#lastId}`,
      // The schema has checked the fields of this kind.
      fault: { ...input, kind, endpoint } as Injected['fault'],
      remaining: times === 'always' ? Number.POSITIVE_INFINITY : times,
      hits: 0,
    };
    this.#keep([...this.#injected, injected]);
    // Not by its id, which is given again after a reset.
    const remove = (): void => this.#keep(this.#injected.filter((each) => each !== injected));
    return { id: injected.id, remove };
  }

  /** Lists the faults that wait for calls, in the order of injection. */
  list(): readonly WaitingFault[] {
    return this.#injected.map(({ id, fault: { times: _, ...fault }, remaining, hits }) => ({
      ...fault,
      id,
      remaining: remaining === Number.POSITIVE_INFINITY ? 'always' : remaining,
      hits,
    }));
  }

  /** Removes a fault by its id. Returns false if it is already removed or used up. */
  remove(id: string): boolean {
    const others = this.#injected.filter((each) => each.id !== id);
    const wasThere = others.length < this.#injected.length;
    if (wasThere) this.#keep(others);
    return wasThere;
  }

  /** Removes all faults. */
  clear(): void {
    this.#lastId = 0;
    this.#keep([]);
  }

  /**
   * Applies the matching faults to a call. `perform` performs the operation and returns its real response.
   *
   * @internal
   */
  async apply(call: FaultedCall, perform: () => Promise<Response>): Promise<Response> {
    const { request, entry } = call;
    const faults = this.#take(call);
    const latency = faults.reduce((sum, fault) => sum + (fault.kind === 'latency' ? fault.ms : 0), 0);
    if (latency > 0) await sleep(latency, request.signal);
    request.signal.throwIfAborted();
    const fault = faults.find(({ kind }) => kind !== 'latency');
    if (fault === undefined) return perform();
    entry.fault = fault.kind;
    if (fault.kind === 'truncated' || fault.kind === 'stall') return damage(fault, request, await perform());
    if (fault.kind === 'reset' && fault.at === 'body') return damage(fault, request, await perform());
    if (fault.acts === true) await perform();
    if (fault.kind === 'reset') throw connectionError('read ECONNRESET', 'ECONNRESET');
    if (fault.kind === 'refused') throw connectionError('connect ECONNREFUSED', 'ECONNREFUSED');
    const response = replacement(fault);
    entry.response = redact(readable(await response.clone().text()));
    return response;
  }

  /** Every matching latency, and the first other matching fault. */
  #take({ region, endpoint }: FaultedCall): readonly FaultInput[] {
    const taken: FaultInput[] = [];
    for (const each of this.#injected) {
      const { fault } = each;
      if (fault.kind !== 'latency' && taken.some(({ kind }) => kind !== 'latency')) continue;
      if (fault.region !== undefined && fault.region !== region) continue;
      if (fault.endpoint !== undefined && fault.endpoint !== endpoint) continue;
      each.remaining -= 1;
      each.hits += 1;
      taken.push(fault);
    }
    if (taken.length > 0) this.#keep(this.#injected.filter(({ remaining }) => remaining > 0));
    return taken;
  }

  #keep(injected: readonly Injected[]): void {
    this.#injected = injected;
    this.#changes.emit({ type: 'changed', what: 'faults' });
  }

  #nameOf(endpoint: FaultScope['endpoint']): string | undefined {
    if (endpoint === undefined) return undefined;
    const routes = this.#routes();
    const route = routes.find(
      (each) => typeof endpoint === 'object' && isSameOperation(each.endpoint, endpoint),
    );
    if (route !== undefined) return route.name;
    const name = typeof endpoint === 'string' ? endpoint : `${endpoint.method} ${endpoint.path}`;
    const known = routes.map((each) => each.name);
    checkName('endpoint', name, known);
    return name;
  }
}

const status = /* @__PURE__ */ wholeNumber(200, 599);
const ms = /* @__PURE__ */ numberBetween(0, MAX_TIMER_MS);

// What `new Headers` accepts: it would throw later.
const headerName = /* @__PURE__ */ z
  .string()
  .check(/* @__PURE__ */ z.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header'));
const headerValue = /* @__PURE__ */ z
  .string()
  .check(/* @__PURE__ */ z.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be a text that a header can have'));

/** The fields of each kind, beside those of the scope. */
const fields = {
  status: {
    status,
    code: text,
    message: text,
    retryAfter: z.optional(z.union([z.number(), headerValue])),
    headers: z.optional(z.record(headerName, headerValue)),
  },
  html: { status: z.optional(status) },
  empty: { status: z.optional(status) },
  'wrong-shape': { status: z.optional(status), body: z.optional(z.unknown()) },
  truncated: {},
  stall: { after: z.optional(wholeNumber(0)), ms: z.optional(ms) },
  reset: { at: z.optional(oneOf(['start', 'body'])) },
  refused: {},
  latency: { ms },
} satisfies Record<FaultKind, z.core.$ZodShape>;

/** The names of all faults. */
// `Object.keys` forgets the names.
export const FAULT_KINDS = /* @__PURE__ */ Object.keys(fields) as readonly FaultKind[];

function schemaOf(kind: FaultKind): z.core.$ZodType {
  return z.strictObject({
    kind: z.optional(z.literal(kind)),
    times: z.optional(z.union([wholeNumber(1), z.literal('always')])),
    region: z.optional(oneOf(REGIONS)),
    endpoint: z.optional(z.unknown()),
    acts: flag,
    ...fields[kind],
  });
}

/** The response of a fault that replaces the real one. */
function replacement(fault: Fault): Response {
  switch (fault.kind) {
    case 'html': {
      const { status: code = 502 } = fault;
      const page = `<!doctype html><title>${code}</title><h1>${code}</h1><p>Injected fault: HTML.</p>`;
      const headers = { 'content-type': 'text/html; charset=utf-8' };
      return new Response(hasNoBody(code) ? null : page, { status: code, headers });
    }
    case 'empty':
      return new Response(null, { status: fault.status ?? 200 });
    case 'wrong-shape':
      return jsonResponse(fault.body === undefined ? { unexpected: true } : fault.body, fault.status ?? 200);
    case undefined:
    case 'status':
      return statusResponse(fault);
    default:
      throw new Error(`The fault ${fault.kind} needs the real response.`);
  }
}

function statusResponse({ status: code, retryAfter, headers = {}, ...fault }: StatusFault): Response {
  const { message = `Injected fault: ${code}.` } = fault;
  const response = jsonResponse(errorBody(fault.code ?? statusName(code), message), code);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  return response;
}

/** The real response with a damaged body; a response without a body stays unchanged. */
async function damage(
  fault: TruncatedFault | StallFault | ResetFault,
  request: Request,
  response: Response,
): Promise<Response> {
  const { status: code } = response;
  const headers = new Headers(response.headers);
  if (hasNoBody(code)) return new Response(null, { status: code, headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const half = bytes.slice(0, bytes.byteLength / 2);
  if (fault.kind === 'truncated') {
    headers.set('content-length', String(half.byteLength));
    return new Response(half, { status: code, headers });
  }
  headers.set('content-length', String(bytes.byteLength));
  const body = fault.kind === 'stall' ? stalling(bytes, fault, request) : breaking(half);
  return new Response(body, { status: code, headers });
}

/** Sends the first bytes, and the rest after a time or never. Ends with the signal's reason when aborted. */
function stalling(bytes: Uint8Array, fault: StallFault, request: Request): ReadableStream<Uint8Array> {
  const { after = Math.floor(bytes.byteLength / 2), ms } = fault;
  return new ReadableStream({
    async start(controller) {
      if (after > 0) controller.enqueue(bytes.slice(0, after));
      await sleep(ms, request.signal);
      if (request.signal.aborted) return controller.error(request.signal.reason);
      controller.enqueue(bytes.slice(after));
      controller.close();
    },
  });
}

/** Sends some bytes and then fails, like a connection that is cut. */
function breaking(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) return controller.error(connectionError('read ECONNRESET', 'ECONNRESET'));
      isSent = true;
      controller.enqueue(bytes);
    },
  });
}

/** The error of a `fetch` without a connection, in the form of Node's. */
function connectionError(message: string, code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}
