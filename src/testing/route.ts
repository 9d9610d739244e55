import type { Endpoint } from '../endpoints/endpoint.js';
import type { OperationCall } from './operation.js';

/** An endpoint the fake answers, and how. */
export interface Route {
  /** The key in `endpoints`; for an endpoint of the user's own, `GET /agents/{agentId}/tools`. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly operation: (call: OperationCall) => unknown;
}

/** Whether two declarations stand for one operation of the service. */
export function isSameOperation(one: Endpoint, other: Pick<Endpoint, 'method' | 'path'>): boolean {
  return one.method === other.method && one.path === other.path;
}

/** A route that fits a request, with the values of its path parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/** Finds the route of a request. Of several, the one with the most fixed segments, and then the first, wins. */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  let best: RouteMatch | undefined;
  for (const route of routes) {
    if (route.endpoint.method !== method) continue;
    const values = matchPath(route.endpoint.path, path);
    if (values === undefined) continue;
    const isBetter = best === undefined || Object.keys(values).length < Object.keys(best.path).length;
    if (isBetter) best = { route, path: values };
  }
  return best;
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const expected = template.split('/');
  const sent = path.split('/');
  if (expected.length !== sent.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    // Both lists have the same length.
    const text = sent[index] as string;
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (name === undefined && segment !== text) return undefined;
    if (name === undefined) continue;
    const value = decodeSegment(text);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

function decodeSegment(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined;
  } catch {
    return undefined; // Not a percent-encoding: no value can have been meant.
  }
}
