import type { Endpoint, PathParameter } from '../../endpoints/endpoint.js';
import { endpoints } from '../../endpoints/endpoints.js';
import type { Region } from '../../utils/regions.js';
import type { Caller } from './access.js';
import { Refusal, type RefusalReason } from './choices.js';
import { type OperationCall, type OperationName, rules, success } from './operations.js';
import type { MutableRegionState } from './records/records.js';

/** An endpoint that the fake serves, with its rule. */
export interface Route {
  /** The key in `endpoints`; for a custom endpoint, `GET /agents/{agentId}/tools`. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly rule: (call: OperationCall) => unknown;
}

/** The documented operations: method, path and schemas come from their own declarations. */
export const documentedRoutes: readonly Route[] = /* @__PURE__ */ (
  Object.keys(endpoints) as OperationName[]
).map(
  // The types of `rules` tie each rule to its endpoint; a list of all of them cannot.
  (name) => ({ name, endpoint: endpoints[name], rule: rules[name] }) as Route,
);

/** Whether two declarations describe one operation, however their path parameters are named. */
export function isSameOperation(one: Endpoint, other: Pick<Endpoint, 'method' | 'path'>): boolean {
  const withoutNames = (path: string): string => path.replace(/\{[^{}]+\}/g, '{}');
  return one.method === other.method && withoutNames(one.path) === withoutNames(other.path);
}

/** One request to an endpoint of `fake.handle`: authenticated, with a valid body. */
export interface HandlerCall<Parameter extends string = string, Body = unknown, Result = unknown> {
  /** The path parameters, decoded. */
  readonly path: { readonly [Name in Parameter]: string };
  /** The body, which fits the endpoint's schema. */
  readonly body: Body;
  /** The query. */
  readonly query: URLSearchParams;
  /** The holder of the token. Undefined only if the endpoint is declared with `auth: 'none'`. */
  readonly caller: Caller | undefined;
  /** The region whose records are used. */
  readonly region: Region;
  /** The records of this region, to read and to change. */
  readonly state: MutableRegionState;
  /**
   * Creates the envelope of a success (2.7) around the result of an endpoint declared by `withData`, or alone. If
   * the response has a custom schema, return the whole body instead.
   */
  readonly succeed: (...data: Result extends void ? [] : [data: Result]) => object;
  /** Responds with the error body of section 7, with the status and code of {@link FakeChoices.refusals}. */
  readonly refuse: (reason: RefusalReason, message: string) => never;
}

/** Returns the body of a response, or a whole `Response`. An exception becomes a 500. */
export type Handler<Path extends string, Body, Result> = (
  call: HandlerCall<PathParameter<Path>, Body, Result>,
) => unknown;

/** Creates the route of an endpoint and its handler. */
export function handlerRoute<Path extends string, Body, Query, Result>(
  endpoint: Endpoint<Path, Body, Query, Result>,
  handler: Handler<Path, Body, Result>,
): Route {
  const documented = documentedRoutes.find((route) => isSameOperation(route.endpoint, endpoint));
  const name = documented?.name ?? `${endpoint.method} ${endpoint.path}`;
  const rule = ({ reach: _, ...call }: OperationCall): unknown => {
    const succeed = (...[data]: unknown[]): object => (data === undefined ? success : { ...success, data });
    const own: object = { ...call, succeed, refuse };
    // Only requests of this endpoint get here, and their path and body have these types.
    return handler(own as HandlerCall<PathParameter<Path>, Body, Result>);
  };
  return { name, endpoint, rule };
}

function refuse(reason: RefusalReason, message: string): never {
  throw new Refusal(reason, message);
}

/** A route that fits a request, with its path parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/** Finds the route of a request. The one with the fewest parameters wins: `/tools/defaults` before `/tools/{id}`. */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const matches = routes.flatMap((route): RouteMatch[] => {
    const values = route.endpoint.method === method ? matchPath(route.endpoint.path, path) : undefined;
    return values === undefined ? [] : [{ route, path: values }];
  });
  const parameters = ({ path: values }: RouteMatch): number => Object.keys(values).length;
  return matches.sort((one, other) => parameters(one) - parameters(other))[0];
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const sent = path.split('/');
  const segments = template.split('/');
  if (sent.length !== segments.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = sent[index] ?? '';
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (name === undefined ? segment !== value : value === '') return undefined;
    if (name !== undefined) values[name] = decodeSegment(value);
  }
  return values;
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // An invalid percent-encoding: the text itself is meant.
  }
}
