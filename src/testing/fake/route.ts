import type { Endpoint } from '../../endpoints/endpoint.js';
import { endpoints } from '../../endpoints/endpoints.js';
import { isObject } from '../../utils/json.js';
import { type OperationCall, type OperationName, rules } from './operations.js';

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

/** The name of an endpoint among these. Names of path parameters may differ. */
export function nameOf({ method, path }: Endpoint, routes: readonly Route[]): string {
  const withoutNames = (text: string): string => text.replace(/\{[^{}]+\}/g, '{}');
  const isSame = ({ endpoint }: Route): boolean =>
    endpoint.method === method && withoutNames(endpoint.path) === withoutNames(path);
  return routes.find(isSame)?.name ?? `${method} ${path}`;
}

/** Returns why a value is not an endpoint, as `endpoint` returns it; undefined if it is one. */
export function endpointProblem(value: unknown): string | undefined {
  const isEndpoint = isObject(value) && 'method' in value && 'path' in value && 'auth' in value;
  return isEndpoint ? undefined : 'must be an endpoint, such as `endpoints.getTool`';
}

/** A route that fits a request, with its path parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/** Finds the route with the fewest parameters: `/tools/defaults` before `/tools/{id}`. */
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

/** Decodes a segment of a path. */
export function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // An invalid percent-encoding: the text itself is meant.
  }
}
