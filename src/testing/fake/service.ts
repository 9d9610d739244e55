import { redact } from '../../utils/redact.js';
import { safely } from '../../utils/thrown.js';
import { unlessAborted } from '../../utils/waiting.js';
import { permit, UNLIMITED_REACH } from './access.js';
import { type Caller, findCaller, requireCaller } from './caller.js';
import { checkBody, checkQuery } from './checks.js';
import type { FakeChoices } from './choices.js';
import { answerFaulted, type Faults, NO_FAULTS } from './faults/faults.js';
import type { Generation } from './generation.js';
import { type FakeRequest, type Log, maskedHeaders } from './log.js';
import { type BaseUrls, noOperation, type Place } from './places.js';
import type { Store } from './records/region-store.js';
import { Refusal, statusAndCode, statusName } from './refusals.js';
import { type Answer, errorBody, jsonResponse, readable } from './responses.js';
import { matchRoute, type Route, type RouteMatch } from './route.js';

/** The parts of a fake that a request passes through. */
export interface Service {
  readonly baseUrls: BaseUrls;
  readonly choices: FakeChoices;
  readonly store: Store;
  readonly log: Log<FakeRequest>;
  readonly faults: Faults;
  readonly generation: Generation;
  /** The current routes: `fake.handle` adds to them. */
  readonly routes: () => readonly Route[];
}

/** A request that has reached the fake, by whichever door. */
export interface Incoming {
  readonly method: string;
  readonly place: Place;
  /** The query with its question mark; empty if there is none. */
  readonly query: string;
  readonly headers: Headers;
  readonly readText: () => Promise<string>;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Set if the door refuses the request: then nothing reads its body. */
  readonly refused?: { readonly status: number; readonly message: string } | undefined;
}

/** A request with its body read, as its rule gets it. */
interface ReadRequest {
  readonly incoming: Incoming;
  readonly match: RouteMatch | undefined;
  /** The holder of the secret that it carries. */
  readonly holder: Caller | undefined;
  /** The body. */
  readonly text: string;
  /** Aborted by a reset. */
  readonly ended: AbortSignal;
}

/** Takes a request to its response, and records both. Rejects if a fault leaves no response. */
export async function respondTo(service: Service, incoming: Incoming): Promise<Response> {
  const { ended, done } = service.generation.begin();
  try {
    return await answerAndRecord(service, incoming, ended);
  } catch (error) {
    if (!ended.aborted || incoming.signal.aborted) throw error;
    // Not a failure of the connection: a client would repeat the call, and reach the next test.
    return jsonResponse(errorBody(statusName(409), 'The fake was reset during this call.'), 409);
  } finally {
    done();
  }
}

async function answerAndRecord(service: Service, incoming: Incoming, ended: AbortSignal): Promise<Response> {
  const { log, faults, routes, store } = service;
  const { method, place, query, headers, refused } = incoming;
  const { region, path } = place;
  const text = refused === undefined ? await incoming.readText() : '';
  ended.throwIfAborted();
  const match = region && matchRoute(routes(), method, path);
  // Outside a region, only the log needs the holder.
  const holder = findCaller(headers, region ?? 'eu', store);
  const entry = log.open({
    at: Date.now(),
    method,
    path,
    query,
    region,
    endpoint: match?.route.name,
    body: redact(readable(text)),
    secretOf: holder?.kind === 'agent' ? holder.agent.id : holder?.workspace.id,
    headers: maskedHeaders(headers),
  });
  const isFaultless = refused !== undefined || region === undefined;
  const taken = isFaultless ? NO_FAULTS : faults.take(region, match?.route.name);
  const signal = AbortSignal.any([incoming.signal, ended]);
  const perform = (): Promise<Answer> => performOperation(service, { incoming, match, holder, text, ended });
  let answer: Answer | undefined;
  try {
    answer = await unlessAborted(answerFaulted(taken, { signal, perform }), ended);
    return answer.response;
  } finally {
    log.close(entry, {
      fault: taken.fault?.kind ?? (taken.delay > 0 ? 'latency' : undefined),
      status: answer?.response.status,
      response: answer?.body,
      responseHeaders: answer && maskedHeaders(answer.response.headers),
      duration: Date.now() - entry.at,
    });
  }
}

/** Performs the operation of a request. A refusal becomes an error response. */
async function performOperation(service: Service, request: ReadRequest): Promise<Answer> {
  const { incoming, match, ended } = request;
  const { refused } = incoming;
  if (refused !== undefined) {
    return answerWith(errorBody(statusName(refused.status), refused.message), refused.status);
  }
  try {
    return answerWith(await runRule(service, request));
  } catch (error) {
    ended.throwIfAborted();
    const threw = `The handler of ${match?.route.name} threw: ${safely(() => String(error))}`;
    const refusal = error instanceof Refusal ? error : new Refusal('handlerFailed', threw);
    const [status, code] = statusAndCode(refusal, service.choices.refusals);
    return answerWith(errorBody(code, refusal.message, refusal.more.issues), status);
  }
}

/** Checks a request and runs the rule of its operation. Throws a {@link Refusal}. */
async function runRule({ store, choices, routes }: Service, request: ReadRequest): Promise<unknown> {
  const { incoming, match, holder, text, ended } = request;
  const { place, method, headers } = incoming;
  const { region } = place;
  if (match === undefined || region === undefined) throw noOperation(method, place, routes());
  const { path, route } = match;
  const { endpoint, name: operation, rule } = route;
  const caller = endpoint.auth === 'bearer' ? requireCaller(holder, headers, region) : undefined;
  const query = await checkQuery(endpoint.query, incoming.query);
  const body = endpoint.body === undefined ? undefined : await checkBody(endpoint.body, headers, text);
  const question = caller && { caller, operation, region, path, body };
  const reach = question === undefined ? UNLIMITED_REACH : await permit(question, store, choices);
  // A reset may have come in between.
  ended.throwIfAborted();
  // Only a custom endpoint may have no caller: the type of its handler says so.
  return rule({ caller: caller as Caller, region, path, query, body, reach, state: store[region] });
}

/** Creates the answer of a body. 200 is a choice: only 4.1 shows a status. */
function answerWith(body: unknown, status = 200): Answer {
  // A copy, because a handler may return it again.
  if (body instanceof Response) return { response: body.clone(), body: undefined };
  const response = body === undefined ? new Response(null, { status }) : jsonResponse(body, status);
  return { response, body: redact(body) };
}
