import type { Endpoint, PathParameter } from '../endpoints/endpoint.js';
import { endpoints } from '../endpoints/endpoints.js';
import type { Caller } from './authenticate.js';
import { type OperationCall, type OperationName, rules } from './operations.js';
import { Refusal, type RefusalReason } from './refusals.js';

/** An endpoint that the fake answers, with its rule. */
export interface Route {
  /** The key in `endpoints`; for an endpoint of the user's own, `GET /agents/{agentId}/tools`. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly rule: (call: OperationCall) => unknown;
}

/** The documented operations as routes: method, path and schemas come from the endpoints' own declarations. */
export const documentedRoutes: readonly Route[] = /* @__PURE__ */ (
  Object.keys(endpoints) as OperationName[]
).map(
  // The types of `rules` tie each rule to its endpoint; a list of all of them cannot say so.
  (name) => ({ name, endpoint: endpoints[name], rule: rules[name] }) as Route,
);

/** One parameter of a path; the pieces between several are its fixed text. */
const PARAMETER = /\{([^{}]+)\}/g;

/** Tells whether two declarations stand for one operation of the service, however they call the parameters of its path. */
export function isSameOperation(one: Endpoint, other: Pick<Endpoint, 'method' | 'path'>): boolean {
  return one.method === other.method && withoutNames(one.path) === withoutNames(other.path);
}

const withoutNames = (path: string): string => path.replace(PARAMETER, '{}');

/** One accepted request, as a handler of your own sees it. */
export interface HandlerCall<Parameter extends string = string, Body = unknown, Result = unknown>
  extends Omit<OperationCall<Parameter, Body>, 'caller'> {
  /** Undefined only where the endpoint is declared with `auth: 'none'`. */
  readonly caller: Caller | undefined;
  /**
   * The envelope of a success (2.7), around the result of an endpoint that is declared by `withData`, or by itself. Where the response is a
   * schema of its own, the answer has no envelope: return it as it is.
   */
  readonly succeed: (...data: Result extends void ? [] : [data: Result]) => object;
  /** Answers with the error body of section 7, with the status and code of {@link FakeChoices.refusals}. */
  readonly refuse: (reason: RefusalReason, message: string) => never;
}

/**
 * Answers an endpoint of your own: returns the body as the service would send it, or a whole `Response`. What it
 * throws is answered with a 500.
 */
export type Handler<Path extends string, Body, Result> = (
  call: HandlerCall<PathParameter<Path>, Body, Result>,
) => unknown;

/** Makes a route of an endpoint and the handler that belongs to it. */
export function handlerRoute<Path extends string, Body, Query, Result>(
  name: string,
  endpoint: Endpoint<Path, Body, Query, Result>,
  handler: Handler<Path, Body, Result>,
): Route {
  const rule = (call: OperationCall): unknown => {
    const envelope = { success: true, message: call.choices.successMessage };
    const succeed = (...[data]: unknown[]): object => (data === undefined ? envelope : { ...envelope, data });
    const own: object = { ...call, succeed, refuse };
    // The route is only taken for requests of this endpoint, whose path and body are of these types.
    return handler(own as HandlerCall<PathParameter<Path>, Body, Result>);
  };
  return { name, endpoint, rule };
}

function refuse(reason: RefusalReason, message: string): never {
  throw new Refusal(reason, message);
}

/** A route that fits a request, with the values of its path parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a request. Of several, the one whose segments are fixed the most wins, a segment that is so in part before one that
 * is not, and then the first.
 */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  let best: RouteMatch | undefined;
  for (const route of routes) {
    if (route.endpoint.method !== method) continue;
    const values = matchPath(route.endpoint.path, path);
    if (values === undefined) continue;
    const isBetter = best === undefined || opennessOf(route) < opennessOf(best.route);
    if (isBetter) best = { route, path: values };
  }
  return best;
}

function opennessOf({ endpoint: { path } }: Route): number {
  const open = withoutNames(path)
    .split('/')
    .filter((segment) => segment.includes('{}'));
  return open.length + open.filter((segment) => segment === '{}').length;
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const names = Array.from(template.matchAll(PARAMETER), ([, name = '']) => name);
  const pattern = withoutNames(template)
    .split('{}')
    .map((text) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&'))
    .join('([^/]+?)');
  const sent = new RegExp(`^${pattern}$`).exec(path)?.slice(1);
  if (sent === undefined) return undefined;
  const values: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decodeSegment(sent[index] ?? '');
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

function decodeSegment(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // Not a percent-encoding: no value can have been meant.
  }
}
