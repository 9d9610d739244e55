import { parseJson } from '../../utils/json.js';
import { redact } from '../../utils/redact.js';
import type { Region } from '../../utils/regions.js';
import { unlessAborted } from '../../utils/waiting.js';
import { validate } from '../../validation/validate.js';
import { permit, UNLIMITED_REACH } from './access.js';
import { type BaseUrls, locate } from './base-urls.js';
import { authenticate, type Caller, holderOf } from './caller.js';
import type { FakeChoices } from './choices.js';
import type { Faults } from './faults/faults.js';
import type { Store } from './records/store.js';
import { Refusal, statusAndCode } from './refusals.js';
import type { RequestLog } from './request-log.js';
import type { OpenRequest } from './requests.js';
import { errorBody, isJson, issueLines, jsonResponse, readable } from './responses.js';
import { matchRoute, type Route, type RouteMatch } from './route.js';

/** Like `fetch`; the fake responds. */
export type FakeFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The parts of a fake that a request passes through. */
export interface Service {
  readonly baseUrls: BaseUrls;
  readonly choices: FakeChoices;
  readonly store: Store;
  readonly log: RequestLog;
  readonly faults: Faults;
  /** The current routes: `fake.handle` adds to them. */
  readonly routes: () => readonly Route[];
}

/** A request that has arrived. */
interface Call {
  readonly request: Request;
  /** The addressed region. */
  readonly region: Region;
  readonly match: RouteMatch | undefined;
  /** The body. */
  readonly text: string;
  readonly entry: OpenRequest;
}

/** Creates a `fetch` that leads to {@link respondTo}. */
export function createFetch(service: Service): FakeFetch {
  return async (input, init) => {
    // A copied Request misses an abort after a garbage collection (Node 20.20.2, 24.21.0:
    // nodejs/undici#4068).
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    request.signal.throwIfAborted();
    const response = await unlessAborted(respondTo(service, request), request.signal);
    // The signal follows the caller's only while the request is referenced, as it is here: nodejs/node#55428.
    request.signal.throwIfAborted();
    return response;
  };
}

/** Takes a request to its response. Rejects if a fault leaves no response. */
async function respondTo(service: Service, request: Request): Promise<Response> {
  const call = await receive(service, request);
  const { entry } = call;
  try {
    const { signal } = request;
    const response = await service.faults.apply({ entry, signal, perform: () => perform(service, call) });
    entry.status = response.status;
    return response;
  } finally {
    service.log.close(entry);
  }
}

/** Reads a request, finds its route and enters it in the log. */
async function receive({ baseUrls, routes, log, store }: Service, request: Request): Promise<Call> {
  const { method } = request;
  const { region, path } = locate(request.url, baseUrls);
  const below = path.startsWith('/v3/') ? path.slice('/v3'.length) : undefined;
  const match = below === undefined ? undefined : matchRoute(routes(), method, below);
  const text = request.body === null ? '' : await request.text();
  const arrival = {
    method,
    path: below ?? path,
    query: new URL(request.url).search,
    region,
    endpoint: match?.route.name,
    body: readable(text),
    secretOf: holderOf(request.headers, region, store),
  };
  return { request, region, match, text, entry: log.open(arrival, request.headers) };
}

/** Performs the operation of a request. A refusal becomes an error response. */
async function perform(service: Service, call: Call): Promise<Response> {
  const { entry } = call;
  try {
    return respond(entry, await runRule(service, call));
  } catch (error) {
    const { reason, message, issues } = asRefusal(error, entry.endpoint);
    const [status, code] = statusAndCode(reason, service.choices.refusals[reason]);
    return respond(entry, errorBody(code, message, issues), status);
  }
}

/** Checks a request and runs the rule of its operation. Throws a {@link Refusal}. */
async function runRule(
  { store, choices }: Service,
  { request, region: addressed, match, text }: Call,
): Promise<unknown> {
  const { pathname, searchParams: query } = new URL(request.url);
  if (match === undefined) {
    const called = `${request.method} ${pathname}`;
    const message = `There is no operation ${called}. Add a custom one with \`fake.handle\`.`;
    throw new Refusal('unknownRoute', message);
  }
  const { path, route } = match;
  const { endpoint, name: operation, rule } = route;
  const caller = endpoint.auth === 'bearer' ? authenticate(request.headers, addressed, store) : undefined;
  const region = caller === undefined ? addressed : regionOfRecords(caller, addressed, choices);
  const body = endpoint.body === undefined ? undefined : await checkBody(endpoint.body, request, text);
  const reach =
    caller === undefined
      ? UNLIMITED_REACH
      : await permit({ caller, operation, region, path, body }, store, choices);
  // Only a custom endpoint may have no caller: the type of its handler says so.
  return rule({ caller: caller as Caller, region, path, query, body, reach, state: store[region] });
}

/** The region whose records are used: a token of the other region is a case of 5.1. */
function regionOfRecords(caller: Caller, addressed: Region, { wrongRegion }: FakeChoices): Region {
  if (caller.region !== addressed && wrongRegion === 'refuse') {
    throw new Refusal('wrongRegion', `The token belongs to region ${caller.region}, not to ${addressed}.`);
  }
  return wrongRegion === 'data-of-token' ? caller.region : addressed;
}

async function checkBody(
  schema: NonNullable<Route['endpoint']['body']>,
  request: Request,
  text: string,
): Promise<unknown> {
  if (!isJson(request.headers.get('content-type')))
    throw new Refusal('invalidRequest', 'The request body must be application/json.');
  const body = parseJson(text);
  if (body === undefined) throw new Refusal('invalidRequest', 'The request body is invalid JSON.');
  const verdict = await validate(schema, body, 'strict');
  if (verdict.ok) return body;
  const message = 'The request body does not match the operation.';
  throw new Refusal('invalidRequest', message, issueLines(verdict.issues));
}

function asRefusal(error: unknown, endpoint: string | undefined): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal('handlerFailed', `The handler of ${endpoint} threw: ${String(error)}`);
}

/** Creates the response of a body, and records it. 200 is a choice: only 4.1 shows a status. */
function respond(entry: OpenRequest, body: unknown, status = 200): Response {
  if (body instanceof Response) return body;
  entry.response = redact(body);
  return body === undefined ? new Response(null, { status }) : jsonResponse(body, status);
}
