import type { Endpoint, PathParameter } from '../endpoints/endpoint.js';
import type { Caller } from './caller.js';
import type { RefusalReason } from './choices.js';
import type { OperationCall } from './operation.js';
import { Refusal } from './refusal.js';
import type { Route } from './route.js';

/** One accepted request, as a handler of your own sees it. */
export interface HandlerCall<Parameter extends string = string, Body = unknown, Result = unknown>
  extends Omit<OperationCall<Parameter, Body>, 'caller'> {
  /** Undefined only where the endpoint is declared with `auth: 'none'`. */
  readonly caller: Caller | undefined;
  /** The envelope of a success (2.7), around the result of an endpoint that has one. */
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
  const operation = (call: OperationCall): unknown => {
    const envelope = { success: true, message: call.choices.successMessage };
    const succeed = (...[data]: unknown[]): object => (data === undefined ? envelope : { ...envelope, data });
    const own: object = { ...call, succeed, refuse };
    // The route is only taken for requests of this endpoint, whose path and body are of these types.
    return handler(own as HandlerCall<PathParameter<Path>, Body, Result>);
  };
  return { name, endpoint, operation };
}

function refuse(reason: RefusalReason, message: string): never {
  throw new Refusal(reason, message);
}
