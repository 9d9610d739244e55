import type { Endpoint } from '../../endpoints/endpoint.js';
import { endpoints } from '../../endpoints/endpoints.js';
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

/** Returns whether two declarations describe one operation. Names of path parameters may differ. */
export function isSameOperation(one: Endpoint, other: Pick<Endpoint, 'method' | 'path'>): boolean {
  const withoutNames = (path: string): string => path.replace(/\{[^{}]+\}/g, '{}');
  return one.method === other.method && withoutNames(one.path) === withoutNames(other.path);
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
