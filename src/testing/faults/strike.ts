import { type Clock, sleep } from '../../webhooks/clock.js';
import { errorResponse, hasNoBody, jsonResponse } from '../http-json.js';
import type { Fault, FaultKind, StallFault, StatusFault } from './fault.js';

/** The way a request came in: some faults are only possible through one of them. */
export type Door = 'process' | 'http';

/** One call that a fault strikes. */
interface StruckCall {
  /** Carries the operation out and gives its real answer. */
  readonly answer: () => Promise<Response>;
  /** Writes down what is answered in place of that. */
  readonly answeredWith: (text: string) => void;
  readonly acts: boolean | undefined;
  readonly door: Door;
  /** Held for as long as the call lasts: once a Request is collected, its signal is not aborted any more. */
  readonly request: Request;
  readonly clock: Clock;
}

/** A fault that takes the place of the answer; a latency comes before one. */
export type AnswerFault = Exclude<Fault, { readonly kind: 'latency' }>;
type AnswerFaultOf<Kind extends FaultKind> = Extract<AnswerFault, { readonly kind?: Kind | undefined }>;
type Strike<Kind extends FaultKind> = (fault: AnswerFaultOf<Kind>, call: StruckCall) => Promise<Response>;

/** The effect of each fault, by its kind: a forgotten one does not compile. */
const strikes: { readonly [Kind in Exclude<FaultKind, 'latency'>]: Strike<Kind> } = {
  status: (fault, call) => instead(call, statusResponse(fault)),
  html: ({ status = 502 }, call) => instead(call, htmlResponse(status)),
  empty: ({ status = 200 }, call) => instead(call, new Response(null, { status })),
  'wrong-shape': ({ status = 200, body = { unexpected: true } }, call) =>
    instead(call, jsonResponse(body, status)),
  truncated: async (_fault, call) => {
    const { bytes, response } = await realAnswer(call);
    const half = bytes.slice(0, bytes.byteLength / 2);
    return withBody(response, half, half.byteLength);
  },
  stall: async (fault, call) => {
    const { bytes, response } = await realAnswer(call);
    return withBody(response, stalling(bytes, fault, call), bytes.byteLength);
  },
  reset: async ({ at = 'start' }, call) => {
    if (at === 'body') {
      const { bytes, response } = await realAnswer(call);
      return withBody(response, breaking(bytes.slice(0, bytes.byteLength / 2)), bytes.byteLength);
    }
    if (call.acts === true) await call.answer();
    throw connectionReset();
  },
  refused: async (_fault, call) => {
    if (call.door === 'process') throw connectionRefused();
    const message = 'The fault "refused" is for fetch in process: a server that listens cannot refuse.';
    return written(call, errorResponse(501, 'impossible_fault', message));
  },
};

/** Lets a fault take the place of the answer. */
export function strike(fault: AnswerFault, call: StruckCall): Promise<Response> {
  const kind = fault.kind ?? 'status';
  // The table holds for each kind the function of that kind; the compiler cannot follow the pair.
  return (strikes[kind] as (fault: AnswerFault, call: StruckCall) => Promise<Response>)(fault, call);
}

async function instead(call: StruckCall, response: Response): Promise<Response> {
  if (call.acts === true) await call.answer();
  return written(call, response);
}

async function written({ answeredWith }: StruckCall, response: Response): Promise<Response> {
  answeredWith(await response.clone().text());
  return response;
}

function statusResponse(fault: StatusFault): Response {
  const { status, body = 'document', code = 'fault', retryAfter, headers = {} } = fault;
  const message = fault.message ?? `The fake was told to answer ${status}.`;
  const response = body === 'none' ? new Response(null, { status }) : errorResponse(status, code, message);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  return response;
}

function htmlResponse(status: number): Response {
  const page = `<!doctype html><title>${status}</title><h1>${status}</h1><p>The fake was told to answer HTML.</p>`;
  return new Response(hasNoBody(status) ? null : page, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
}

async function realAnswer(call: StruckCall): Promise<{ bytes: Uint8Array<ArrayBuffer>; response: Response }> {
  const response = await call.answer();
  return { bytes: new Uint8Array(await response.arrayBuffer()), response };
}

/** The same answer with another body; an answer that has none stays as it is. */
function withBody(
  { status, headers }: Response,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  length: number,
): Response {
  if (hasNoBody(status)) return new Response(null, { status, headers });
  const copy = new Headers(headers);
  copy.set('content-length', String(length));
  return new Response(body, { status, headers: copy });
}

/** Gives the first bytes, and the rest after a time or never. Ends with the signal's reason when aborted. */
function stalling(
  bytes: Uint8Array,
  { after = Math.floor(bytes.byteLength / 2), ms }: StallFault,
  { request, clock }: StruckCall,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      if (after > 0) controller.enqueue(bytes.slice(0, after));
      await (ms === undefined ? aborted(request.signal) : sleep(clock, ms, request.signal));
      if (request.signal.aborted) return controller.error(request.signal.reason);
      controller.enqueue(bytes.slice(after));
      controller.close();
    },
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Gives some bytes and then fails, as a connection that is cut. */
function breaking(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let given = false;
  return new ReadableStream({
    pull(controller) {
      if (given) return controller.error(connectionReset());
      given = true;
      controller.enqueue(bytes);
    },
  });
}

/** The error of a `fetch` whose connection is cut, in the form that Node gives it. */
function connectionReset(): TypeError {
  return connectionError('read ECONNRESET', 'ECONNRESET');
}

/** The error of a `fetch` that finds no connection. */
function connectionRefused(): TypeError {
  return connectionError('connect ECONNREFUSED', 'ECONNREFUSED');
}

function connectionError(message: string, code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}
