import { parseJson } from '../ground/json.js';
import { REGIONS, type Region } from '../ground/regions.js';
import { defined } from '../validation/option-checks.js';
import { validate } from '../validation/validate.js';
import { authenticate, type Caller } from './authenticate.js';
import { checkNames } from './choices.js';
import type { FaultList } from './faults/faults.js';
import type { Door } from './faults/strike.js';
import { errorBody, hasNoBody, isJson, issueLines, jsonResponse } from './http-json.js';
import { namedRecords } from './named-records.js';
import { Refusal } from './refusals.js';
import type { LogEntry, RequestLog } from './request-log.js';
import { matchRoute, type Route, type RouteMatch } from './route.js';
import type { World } from './state.js';

/** The base address of each region, without `/v3`. */
export type BaseUrls = { readonly [Name in Region]: string };

/** `fetch`, answered by the fake. */
export type FakeFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The in-process addresses of a fake. No such hosts can exist (RFC 6761). */
const defaultBaseUrls: BaseUrls = {
  eu: 'https://eu.agent-platform.test',
  na: 'https://na.agent-platform.test',
};

/** Takes what a user may write, with or without `/v3` or a slash at the end, to one form. */
export function normalizeBaseUrls(input: Partial<BaseUrls> = {}): BaseUrls {
  checkNames('createFakePlatform: the region of baseUrls', input, defaultBaseUrls);
  const urls = { ...defaultBaseUrls, ...defined(input) };
  return { eu: normalize(urls.eu), na: normalize(urls.na) };
}

function normalize(text: string): string {
  // The host in lower case, and no port where it is the default one: as requests have them.
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '').replace(/\/v3$/, '');
}

interface Parts {
  readonly world: World;
  readonly log: RequestLog;
  readonly faults: FaultList;
  readonly baseUrls: BaseUrls;
  readonly routes: () => readonly Route[];
}

/** One request on its way to its answer. */
interface Exchange {
  readonly request: Request;
  readonly region: Region;
  readonly match: RouteMatch | undefined;
  readonly entry: LogEntry;
  /** The parsed body; undefined where there is none, or no JSON. */
  /** Parses the body. */
  readonly sent: () => unknown;
}

/**
 * Answers requests as the service does. A request goes through these stages, from the top of this file to its end:
 *
 * 1. **Locate**: the address tells the region (`fetchThrough`).
 * 2. **Route**: method and path tell the endpoint and its rule (`#answer`, route.ts).
 * 3. **Record**: the request is written down, and at the end its status (request-log.ts).
 * 4. **Fault**: an injected fault delays, replaces or damages the answer (faults/).
 * 5. **Authenticate**: the token tells the caller (`#perform`, authenticate.ts).
 * 6. **Validate**: the body must fit the endpoint's schema.
 * 7. **Permit**: the records that the request names must be within the caller's reach (reach.ts, named-records.ts).
 * 8. **Rule**: the operation's rule (operations.ts), or the user's handler, changes the state and gives the answer's body.
 * 9. **Respond**: that body, or a refusal (refusals.ts), becomes a response (`#respond`, http-json.ts).
 */
export class Service {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Makes a `fetch` that leads here. */
  fetchThrough(door: Door): FakeFetch {
    const { baseUrls } = this.#parts;
    return async (input, init) => {
      // Not copied without need: once the Request that a copy was made of is collected, the copy is not aborted any more.
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      request.signal.throwIfAborted();
      const target = locate(request.url, baseUrls);
      if (target === undefined) {
        const known = Object.values(baseUrls).join(' and ');
        throw new TypeError(`fetch failed: the fake answers below ${known}, not at ${request.url}`);
      }
      return untilAborted(request.signal, this.#answer(request, target.region, target.path, door));
    };
  }

  /** `path` is what follows the base address, `/v3` included. */
  async #answer(request: Request, region: Region, path: string, door: Door): Promise<Response> {
    const { log, faults, routes } = this.#parts;
    const { method, headers } = request;
    const below = /^\/v3(?=\/)/.test(path) ? path.slice('/v3'.length) : undefined;
    const match = below === undefined ? undefined : matchRoute(routes(), method, below);
    const endpoint = match?.route.name;
    const query = new URL(request.url).search;
    const entry = log.arrive({ method, path: below ?? path, query, region, endpoint, headers });
    let status: number | undefined;
    try {
      const text = request.body === null ? '' : await request.text();
      // Not for who has no token: it may take a hundred times the memory of the text.
      const sent = () => parseJson(text);
      // Before a fault: what a struck call has sent is of interest too.
      entry.body(written(text), text.length);
      const response = await faults.intercept({
        region,
        endpoint,
        request,
        door,
        answer: () => this.#respond({ request, region, match, entry, sent }),
        struckBy: entry.struckBy,
        answeredWith: (answer) => entry.answer(written(answer), answer.length),
      });
      status = response.status;
      return response;
    } finally {
      entry.answered(status);
    }
  }

  async #respond(exchange: Exchange): Promise<Response> {
    const { choices } = this.#parts.world;
    try {
      const body = await this.#perform(exchange);
      const route = exchange.match?.route;
      if (body === undefined && route !== undefined && route.endpoint.response.kind !== 'none') {
        throw new Refusal('handlerFailed', `The handler of ${route.name} returned nothing`);
      }
      // The one status that the specification shows (4.1).
      const status = route?.name === 'listMembersAndTeams' ? 200 : choices.successStatus;
      if (body instanceof Response) return body;
      return answerWith(body, status, exchange.entry);
    } catch (error) {
      const name = exchange.match?.route.name ?? 'the fake';
      const { reason, message, issues } =
        error instanceof Refusal
          ? error
          : new Refusal('handlerFailed', `The handler of ${name} threw: ${String(error)}`);
      const { status, code } = choices.refusals[reason];
      return answerWith(errorBody(code, message, issues), status, exchange.entry);
    }
  }

  async #perform({ request, region, match, sent }: Exchange): Promise<unknown> {
    const { state, ids, choices } = this.#parts.world;
    const url = new URL(request.url);
    if (match === undefined) {
      throw new Refusal(
        'unknownRoute',
        `No operation is ${request.method} ${url.pathname}. One of your own is answered by \`fake.handle\`.`,
      );
    }
    const { endpoint, name, rule } = match.route;
    const caller = endpoint.auth === 'none' ? undefined : authenticate(request.headers, region, state);
    if (caller !== undefined && caller.region !== region && choices.wrongRegion === 'refuse') {
      throw new Refusal('wrongRegion', `The token is not known in region ${region}.`);
    }
    const body = endpoint.body === undefined ? undefined : sent();
    if (endpoint.body !== undefined) await checkBody(endpoint.body, request, body);
    const used = choices.wrongRegion === 'data-of-token' ? (caller?.region ?? region) : region;
    const { path } = match;
    if (caller !== undefined) {
      const records = namedRecords({ template: endpoint.path, path, body }, state[used]);
      if (!choices.permits({ caller, operation: name, region: used, path, body, records })) {
        throw new Refusal('notPermitted', `The ${caller.kind} secret may not do this: ${name}.`);
      }
    }
    return await rule({
      path,
      body,
      query: url.searchParams,
      // An operation without authentication is one of the user's own, whose type has no caller.
      caller: caller as Caller,
      region: used,
      state: state[used],
      ids,
      choices,
    });
  }
}

/** Finds the region that a URL is in, and the path that follows its base address: the longer one where it is below both. */
function locate(url: string, baseUrls: BaseUrls): { region: Region; path: string } | undefined {
  const { origin, pathname } = new URL(url);
  const address = origin + pathname;
  const [region] = REGIONS.filter((each) => address.startsWith(`${baseUrls[each]}/`)).sort(
    (one, other) => baseUrls[other].length - baseUrls[one].length,
  );
  return region && { region, path: address.slice(baseUrls[region].length) };
}

/** Makes a response, and writes down its body. */
function answerWith(body: unknown, status: number, entry: LogEntry): Response {
  const shown = hasNoBody(status) ? undefined : body;
  entry.answer(shown, shown === undefined ? 0 : JSON.stringify(shown).length);
  return jsonResponse(body, status);
}

/** Characters of the longest body that is written down as a whole. */
const MAX_WRITTEN = 256 * 1024;

/** A body as it is written down: JSON as its value, else the text, undefined where there is none. */
function written(text: string): unknown {
  if (text === '') return undefined;
  const value = text.length > MAX_WRITTEN ? undefined : parseJson(text);
  return value === undefined ? text.slice(0, MAX_WRITTEN) : value;
}

/** Waits for a promise, but no longer than until the signal is aborted; leaves no listener behind. */
function untilAborted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    // A reason can be of any type, and `fetch` rejects with it as it is.
    const onAbort = (): void => reject(signal.reason as Error);
    const settled = (): void => signal.removeEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(settled);
    signal.addEventListener('abort', onAbort);
    // A handler may have aborted it already: the first steps of a call are taken at once.
    if (signal.aborted) onAbort();
  });
}

async function checkBody(
  schema: NonNullable<Route['endpoint']['body']>,
  request: Request,
  sent: unknown,
): Promise<void> {
  if (!isJson(request)) {
    throw new Refusal('invalidRequest', 'The request body must be application/json.');
  }
  if (sent === undefined) throw new Refusal('invalidRequest', 'The request body is not JSON.');
  const verdict = await validate(schema, sent, 'strict');
  if (verdict.ok) return;
  const message = 'The request body does not fit the operation.';
  throw new Refusal('invalidRequest', message, issueLines(verdict.issues));
}
