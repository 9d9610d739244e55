import type { Endpoint, PathParameter } from '../../endpoints/endpoint.js';
import type { Region } from '../../utils/regions.js';
import type { Caller } from './caller.js';
import type { OperationCall } from './operations.js';
import type { MutableRegionState } from './records/records.js';
import { Refusal, type RefusalReason } from './refusals.js';
import { SUCCESS } from './responses.js';
import { documentedRoutes, nameOf, type Route } from './route.js';

/** A request to an endpoint of `fake.handle`: authenticated, with a valid query and body. */
export interface HandlerCall<
  Parameter extends string = string,
  Body = unknown,
  Query = unknown,
  Result = unknown,
> {
  /** The path parameters, decoded. */
  readonly path: { readonly [Name in Parameter]: string };
  /** The body, which fits the endpoint's schema. */
  readonly body: Body;
  /** The query, which fits the endpoint's schema. Without one, each name has its text, or a list of texts. */
  readonly query: [Query] extends [undefined] ? SentQuery : Query;
  /** The holder of the token. Undefined only if the endpoint is declared with `auth: 'none'`. */
  readonly caller: Caller | undefined;
  /** The region whose records are used. */
  readonly region: Region;
  /** The records of this region, to read and to change. */
  readonly state: MutableRegionState;
  /**
   * Puts the result into the envelope of a success (2.7), for an endpoint declared by `withData`.
   *
   * If the response has a custom schema, return the whole body instead.
   */
  readonly succeed: (...data: Result extends void ? [] : [data: Result]) => object;
  /** Responds with an error body (section 7). {@link FakeChoices.refusals} decides status and code. */
  readonly refuse: (reason: RefusalReason, message: string) => never;
}

/** A query of an endpoint that declares none. */
export type SentQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the body of a response, or a whole `Response`. An exception becomes a 500. */
export type Handler<Path extends string, Body, Query, Result> = (
  call: HandlerCall<PathParameter<Path>, Body, Query, Result>,
) => unknown;

/** Creates the route of an endpoint and its handler. */
export function handlerRoute(endpoint: Endpoint, handler: (call: never) => unknown): Route {
  const name = nameOf(endpoint, documentedRoutes);
  const rule = async ({ reach: _, ...call }: OperationCall): Promise<unknown> => {
    const succeed = (...[data]: unknown[]): object => (data === undefined ? SUCCESS : { ...SUCCESS, data });
    const refuse = (reason: RefusalReason, message: string): never => {
      throw new Refusal(reason, message);
    };
    // Only requests of this endpoint get here, and their path, query and body have the types of its handler.
    const answer = await handler({ ...call, succeed, refuse } as never);
    if (answer !== undefined) return answer;
    const problem = `The handler of ${name} returned nothing: return a body or a Response.`;
    throw new Refusal('handlerFailed', problem);
  };
  return { name, endpoint, rule };
}
