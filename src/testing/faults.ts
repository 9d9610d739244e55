import * as z from 'zod/mini';
import type { Endpoint } from '../endpoints/endpoint.js';
import { redact } from '../ground/redact.js';
import type { Region } from '../ground/regions.js';
import { flag, text } from '../schemas/fields.js';
import { checkOptions, MAX_TIMEOUT, oneOf, wholeNumber } from '../validation/options.js';
import type { Changes } from './changes.js';
import { statusName } from './choices.js';
import { checkName, integerFrom, numberFrom } from './input.js';
import type { OperationName } from './operations.js';
import { randomNumbers } from './random.js';
import type { OpenRequest } from './requests.js';
import { errorBody, hasNoBody, jsonResponse, readable } from './responses.js';
import { isSameOperation, type Route } from './route.js';

/** A response with a status, most often an error. */
export interface StatusFault {
  /** The kind of fault. */
  readonly kind?: 'status' | undefined;
  /** From 200 to 599. */
  readonly status: number;
  /** The error body of section 7 (default), or no body at all. */
  readonly body?: 'document' | 'none' | undefined;
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

/** A success without a body. */
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

/** The connection is never made. In process only: a server that listens cannot refuse. */
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
  /** The share of the calls, from 0 to 1. Default 1. */
  readonly rate?: number | undefined;
  /** Seed of `rate`: the same calls fail in every run. Default 1. */
  readonly seed?: number | undefined;
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

/** The faults of a fake. */
export interface Faults {
  /**
   * Injects a failure into the next call, the next `times` calls, or every call. If several match, the first one applies;
   * latencies are added to it.
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
  inject(input: FaultInput): InjectedFault;
  /** Lists the faults that wait for calls, in the order of injection. */
  list(): readonly WaitingFault[];
  /** Removes a fault by its id. Returns false if it is already removed or used up. */
  remove(id: string): boolean;
  /** Removes all faults. */
  clear(): void;
}

/** The way a request came in: a server that listens cannot refuse a connection. */
export type Door = 'process' | 'http';

/** A call that a fault may apply to. */
interface FaultedCall {
  readonly region: Region;
  /** The name of the route; undefined for an unknown one. */
  readonly endpoint: string | undefined;
  readonly request: Request;
  readonly door: Door;
  readonly entry: OpenRequest;
}

interface Injected {
  readonly id: string;
  readonly fault: Fault;
  readonly scope: Omit<FaultScope, 'endpoint' | 'times'> & { readonly endpoint: string | undefined };
  readonly random: () => number;
  remaining: number;
  hits: number;
}

/** The injected faults, and their effect on calls. */
export class FaultList implements Faults {
  readonly #routes: () => readonly Route[];
  readonly #changes: Changes;
  #injected: readonly Injected[] = [];
  #lastId = 0;

  constructor(routes: () => readonly Route[], changes: Changes) {
    this.#routes = routes;
    this.#changes = changes;
  }

  inject(input: FaultInput): InjectedFault {
    const { kind = 'status', endpoint, times = 1, region, rate, seed, acts, ...fields } = input;
    checkName('fault', kind, FAULT_KINDS);
    checkOptions(schemaOf(kind), input, { of: 'faults.inject' });
    this.#lastId += 1;
    const id = `fault_${this.#lastId}`;
    const injected: Injected = {
      id,
      // The fields of the kind, which the schema has checked.
      fault: { kind, ...fields } as Fault,
      scope: { endpoint: this.#nameOf(endpoint), region, rate, seed, acts },
      random: randomNumbers(seed ?? 1),
      remaining: times === 'always' ? Number.POSITIVE_INFINITY : times,
      hits: 0,
    };
    this.#keep([...this.#injected, injected]);
    // Not by its id, which is given again after a reset.
    return { id, remove: () => this.#keep(this.#injected.filter((each) => each !== injected)) };
  }

  list(): readonly WaitingFault[] {
    return this.#injected.map(({ id, fault, scope, remaining, hits }) => ({
      ...fault,
      ...scope,
      id,
      remaining: remaining === Number.POSITIVE_INFINITY ? 'always' : remaining,
      hits,
    }));
  }

  remove(id: string): boolean {
    const others = this.#injected.filter((each) => each.id !== id);
    const wasThere = others.length < this.#injected.length;
    if (wasThere) this.#keep(others);
    return wasThere;
  }

  clear(): void {
    this.#lastId = 0;
    this.#keep([]);
  }

  /** Applies the matching faults to a call. `answer` performs the operation and returns its real response. */
  async apply(call: FaultedCall, answer: () => Promise<Response>): Promise<Response> {
    const { request } = call;
    const hits = this.#take(call);
    const latency = hits.reduce((sum, { fault }) => sum + (fault.kind === 'latency' ? fault.ms : 0), 0);
    if (latency > 0) await sleep(latency, request);
    request.signal.throwIfAborted();
    const hit = hits.find(({ fault }) => fault.kind !== 'latency');
    if (hit === undefined) return answer();
    const { fault, scope } = hit;
    call.entry.fault = fault.kind ?? 'status';
    if (fault.kind === 'truncated' || fault.kind === 'stall') return damage(fault, request, await answer());
    if (fault.kind === 'reset' && fault.at === 'body') return damage(fault, request, await answer());
    if (scope.acts === true) await answer();
    if (fault.kind === 'reset') throw connectionError('read ECONNRESET', 'ECONNRESET');
    if (fault.kind === 'refused' && call.door === 'process') {
      throw connectionError('connect ECONNREFUSED', 'ECONNREFUSED');
    }
    const response = replacement(fault);
    call.entry.answer = redact(readable(await response.clone().text()));
    return response;
  }

  /** Every matching latency, and the first other matching fault. */
  #take({ region, endpoint }: FaultedCall): readonly Injected[] {
    const hits: Injected[] = [];
    for (const each of this.#injected) {
      const isLatency = each.fault.kind === 'latency';
      if (!isLatency && hits.some(({ fault }) => fault.kind !== 'latency')) continue;
      const { scope } = each;
      if (scope.region !== undefined && scope.region !== region) continue;
      if (scope.endpoint !== undefined && scope.endpoint !== endpoint) continue;
      if (scope.rate !== undefined && each.random() >= scope.rate) continue;
      each.remaining -= 1;
      each.hits += 1;
      hits.push(each);
    }
    if (hits.length > 0) this.#keep(this.#injected.filter(({ remaining }) => remaining > 0));
    return hits;
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
    checkName(
      'endpoint',
      name,
      routes.map((each) => each.name),
    );
    return name;
  }
}

const status = /* @__PURE__ */ integerFrom(200, 599);
const ms = /* @__PURE__ */ numberFrom(0, MAX_TIMEOUT);

/** A text that a header can have: `new Headers` would throw later. */
const headerValue = /* @__PURE__ */ z
  .string()
  .check(/* @__PURE__ */ z.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be a text that a header can have'));

/** The fields of each kind, beside those of the scope. */
const fields = {
  status: {
    status,
    body: z.optional(oneOf('document', 'none')),
    code: text,
    message: text,
    retryAfter: z.optional(z.union([z.number(), headerValue])),
    headers: z.optional(
      z.record(
        z.string().check(z.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header')),
        headerValue,
      ),
    ),
  },
  html: { status: z.optional(status) },
  empty: { status: z.optional(status) },
  'wrong-shape': { status: z.optional(status), body: z.optional(z.unknown()) },
  truncated: {},
  stall: { after: z.optional(wholeNumber(0)), ms: z.optional(ms) },
  reset: { at: z.optional(oneOf('start', 'body')) },
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
    region: z.optional(oneOf('eu', 'na')),
    endpoint: z.optional(z.unknown()),
    rate: z.optional(numberFrom(0, 1)),
    seed: z.optional(z.number()),
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
    case 'refused':
      return jsonResponse(
        errorBody(statusName(501), 'A server that listens cannot refuse a connection.'),
        501,
      );
    case undefined:
    case 'status':
      return statusResponse(fault);
    default:
      throw new Error(`The fault ${fault.kind} needs the real response.`);
  }
}

function statusResponse(fault: StatusFault): Response {
  const { status: code, body = 'document', retryAfter, headers = {} } = fault;
  const { message = `Injected fault: ${code}.` } = fault;
  const response =
    body === 'none'
      ? new Response(null, { status: code })
      : jsonResponse(errorBody(fault.code ?? statusName(code), message), code);
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
      await sleep(ms, request);
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

/** Resolves after a time, or when the request is aborted; without a time, only then. */
function sleep(ms: number | undefined, request: Request): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      // The listener keeps the request alive, and so its signal.
      request.signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(end, ms);
    request.signal.addEventListener('abort', end);
    if (request.signal.aborted) end();
  });
}

/** The error of a `fetch` without a connection, in the form of Node's. */
function connectionError(message: string, code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}
