import { parseJson } from '../../utils/json.js';
import { redact } from '../../utils/redact.js';
import { REGIONS, type Region } from '../../utils/regions.js';
import { unlessAborted } from '../../utils/waiting.js';
import { validate } from '../../validation/validate.js';
import { authenticate, type Caller, createReach } from './access.js';
import { type FakeChoices, Refusal, statusAndCode } from './choices.js';
import type { Faults } from './faults/faults.js';
import type { Store } from './records/store.js';
import type { OpenRequest, RequestLog } from './requests.js';
import { errorBody, isJson, issueLines, jsonResponse, readable } from './responses.js';
import { matchRoute, type Route, type RouteMatch } from './route.js';

/** The base address of each region, without `/v3`. */
export type BaseUrls = { readonly [Name in Region]: string };

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

/** Creates a `fetch` that leads to {@link handle}. */
export function createFetch(service: Service): FakeFetch {
  return async (input, init) => {
    // The same Request if possible: a duplicate is not aborted any more once the original is garbage-collected.
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    request.signal.throwIfAborted();
    const response = await unlessAborted(handle(service, request), request.signal);
    // Node follows the caller's signal only while the request is referenced (undici, lib/web/fetch/request.js).
    request.signal.throwIfAborted();
    return response;
  };
}

/** Takes a request to its response. Rejects if a fault leaves no response. */
async function handle(service: Service, request: Request): Promise<Response> {
  const { log, faults } = service;
  const { region, path } = locate(request.url, service.baseUrls);
  const below = path.startsWith('/v3/') ? path.slice('/v3'.length) : undefined;
  const match = below === undefined ? undefined : matchRoute(service.routes(), request.method, below);
  const endpoint = match?.route.name;
  const text = request.body === null ? '' : await request.text();
  const query = new URL(request.url).search;
  const arrival = { method: request.method, path: below ?? path, query, region, endpoint };
  const entry = log.open({ ...arrival, body: readable(text) }, request.headers);

  const answer = async (): Promise<Response> => {
    try {
      return respond(entry, await perform(service, request, region, match, text));
    } catch (error) {
      const { reason, message, issues } = asRefusal(error, endpoint);
      const [status, code] = statusAndCode(reason, service.choices);
      return respond(entry, errorBody(code, message, issues), status);
    }
  };
  let status: number | undefined;
  try {
    const response = await faults.apply({ region, endpoint, request, entry }, answer);
    status = response.status;
    return response;
  } finally {
    log.close(entry, status);
  }
}

/** Checks a request and runs the rule of its operation. Throws a {@link Refusal} for a request that is not allowed. */
async function perform(
  { store, choices }: Service,
  request: Request,
  addressed: Region,
  match: RouteMatch | undefined,
  text: string,
): Promise<unknown> {
  const { pathname, searchParams: query } = new URL(request.url);
  if (match === undefined) {
    const message = `There is no operation ${request.method} ${pathname}. Add a custom one with \`fake.handle\`.`;
    throw new Refusal('unknownRoute', message);
  }
  const { endpoint, name, rule } = match.route;
  const { path } = match;
  const caller = endpoint.auth === 'bearer' ? authenticate(request.headers, addressed, store) : undefined;
  if (caller !== undefined && caller.region !== addressed && choices.wrongRegion === 'refuse') {
    throw new Refusal('wrongRegion', `The token is unknown in region ${addressed}.`);
  }
  const body = endpoint.body === undefined ? undefined : await checkBody(endpoint.body, request, text);
  const region = choices.wrongRegion === 'data-of-token' ? (caller?.region ?? addressed) : addressed;
  const question = { caller: caller as Caller, operation: name, region, path, body };
  // An endpoint without a token has no caller, and only a custom one has no token: its handler's type says so.
  const permitted = caller === undefined ? true : await choices.permits(question);
  if (permitted === false) {
    throw new Refusal('notPermitted', `The secret is not allowed to call ${name}: see \`permits\`.`);
  }
  const reach = createReach(question, store, permitted === true);
  return rule({ ...question, reach, query, state: store[region] });
}

async function checkBody(
  schema: NonNullable<Route['endpoint']['body']>,
  request: Request,
  text: string,
): Promise<unknown> {
  if (!isJson(request)) throw new Refusal('invalidRequest', 'The request body must be application/json.');
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

/** Finds the region of an address, and the path after its base address. */
function locate(url: string, baseUrls: BaseUrls): { region: Region; path: string } {
  const { origin, pathname } = new URL(url);
  const address = origin + pathname;
  const region = REGIONS.find((each) => address.startsWith(`${baseUrls[each]}/`));
  if (region !== undefined) return { region, path: address.slice(baseUrls[region].length) };
  const known = Object.values(baseUrls).join(' and ');
  throw new TypeError(`fetch failed: the fake responds below ${known}, not at ${url}`);
}

/** The in-process addresses of a fake. No such hosts can exist (RFC 6761). */
const defaultBaseUrls: BaseUrls = {
  eu: 'https://eu.agent-platform.test',
  na: 'https://na.agent-platform.test',
};

/** Normalizes base addresses, which may end in a slash or in `/v3`. */
export function resolveBaseUrls({
  eu,
  na,
}: { readonly [Name in Region]?: string | undefined } = {}): BaseUrls {
  return { eu: normalize(eu ?? defaultBaseUrls.eu), na: normalize(na ?? defaultBaseUrls.na) };
}

function normalize(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '').replace(/\/v3$/, '');
}
