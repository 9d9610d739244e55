import { parseJson } from '../ground/json.js';
import { redactText } from '../ground/redact.js';
import type { Region } from '../ground/regions.js';
import { validate } from '../validation/validate.js';
import { authenticate } from './authenticate.js';
import type { Caller } from './caller.js';
import { isJson, issueLines } from './json-body.js';
import { jsonResponse } from './json-response.js';
import { Refusal, refusalResponse } from './refusal.js';
import type { OpenEntry, RequestLog } from './request-log.js';
import { matchRoute, type Route, type RouteMatch } from './route.js';
import type { World } from './world.js';

/** One request on its way through the service. */
interface Exchange {
  readonly request: Request;
  readonly region: Region;
  readonly match: RouteMatch | undefined;
  readonly entry: OpenEntry;
}

/** How a request came in: some faults are only possible through one of them. */
export type Door = 'process' | 'http';

/** Stands between a request and its answer, as a fault does. `answer` carries the operation out. */
export type Interception = (
  exchange: {
    readonly region: Region;
    readonly endpoint: string | undefined;
    readonly request: Request;
    readonly door: Door;
    /** Writes down which fault struck. */
    readonly struckBy: (fault: string) => void;
  },
  answer: () => Promise<Response>,
) => Promise<Response>;

/** Answers requests: finds the endpoint, the caller and the body, carries out the operation, keeps the log. */
export class Service {
  readonly #world: World;
  readonly #log: RequestLog;
  readonly #routes: () => readonly Route[];
  readonly #intercept: Interception;

  constructor(parts: {
    world: World;
    log: RequestLog;
    routes: () => readonly Route[];
    intercept: Interception;
  }) {
    this.#world = parts.world;
    this.#log = parts.log;
    this.#routes = parts.routes;
    this.#intercept = parts.intercept;
  }

  /** Answers one request. `path` is what follows the base address, `/v3` included. */
  async answer(request: Request, region: Region, path: string, door: Door): Promise<Response> {
    const { method, headers } = request;
    const below = /^\/v3(?=\/)/.test(path) ? path.slice('/v3'.length) : undefined;
    const match = below === undefined ? undefined : matchRoute(this.#routes(), method, below);
    const endpoint = match?.route.name;
    const query = new URL(request.url).search;
    const entry = this.#log.arrive({ method, path: below ?? path, query, region, endpoint, headers });
    let status: number | undefined;
    try {
      const answer = (): Promise<Response> => this.#respond({ request, region, match, entry });
      const response = await this.#intercept(
        { region, endpoint, request, door, struckBy: entry.struckBy },
        answer,
      );
      status = response.status;
      return response;
    } finally {
      entry.answered(status);
    }
  }

  async #respond(exchange: Exchange): Promise<Response> {
    const { choices } = this.#world;
    try {
      const body = await this.#perform(exchange);
      return body instanceof Response ? body : jsonResponse(body, choices.successStatus);
    } catch (error) {
      if (error instanceof Refusal) return refusalResponse(error, choices);
      const name = exchange.match?.route.name ?? 'the fake';
      return refusalResponse(
        new Refusal('handlerFailed', `The handler of ${name} threw: ${String(error)}`),
        choices,
      );
    }
  }

  async #perform({ request, region, match, entry }: Exchange): Promise<unknown> {
    const { state, ids, choices } = this.#world;
    const sent = await readBody(request, entry);
    if (match === undefined) throw new Refusal('unknownRoute', `No operation is ${describe(request)}.`);
    const { endpoint, name, operation } = match.route;
    const caller =
      endpoint.auth === 'none' ? undefined : authenticate(request.headers, region, state, choices);
    if (caller !== undefined && !choices.permits({ caller, operation: name })) {
      throw new Refusal('notPermitted', 'This secret may not use this operation.');
    }
    const body = await validBody(match.route, request, sent);
    const used = choices.wrongRegion === 'data-of-token' ? (caller?.region ?? region) : region;
    const query = new URL(request.url).searchParams;
    // An operation without authentication is one of the user's own, whose type has no caller.
    return await operation({
      path: match.path,
      body,
      query,
      caller: caller as Caller,
      region: used,
      state: state[used],
      ids,
      choices,
    });
  }
}

function describe(request: Request): string {
  return `${request.method} ${new URL(request.url).pathname}`;
}

interface SentBody {
  readonly text: string;
  /** The parsed text; undefined where it is not JSON. */
  readonly value: unknown;
}

async function readBody(request: Request, entry: OpenEntry): Promise<SentBody> {
  const text = request.body === null ? '' : await request.text();
  const value = parseJson(text);
  if (text !== '') entry.body(value ?? redactText(text));
  return { text, value };
}

async function validBody({ endpoint }: Route, request: Request, sent: SentBody): Promise<unknown> {
  if (endpoint.body === undefined) return undefined;
  if (!isJson(request)) {
    throw new Refusal('invalidRequest', 'The request body must be application/json.');
  }
  if (sent.value === undefined) throw new Refusal('invalidRequest', 'The request body is not JSON.');
  const verdict = await validate(endpoint.body, sent.value, 'strict');
  if (verdict.ok) return sent.value;
  throw new Refusal(
    'invalidRequest',
    'The request body does not fit the operation.',
    issueLines(verdict.issues),
  );
}
