import type { Endpoint, PathParameter } from '../endpoints/endpoint.js';
import type { endpoints } from '../endpoints/endpoints.js';
import type { Region } from '../ground/regions.js';
import type { Caller } from './caller.js';
import type { FakeChoices } from './choices.js';
import type { NewIds } from './ids.js';
import type { MutableRegionState } from './state.js';

/** The keys of `endpoints`: the documented operations. */
export type OperationName = keyof typeof endpoints;

/** One accepted request, as an operation of the fake sees it: authenticated, and with a valid body. */
export interface OperationCall<Parameter extends string = string, Body = unknown> {
  /** The path parameters, decoded. */
  readonly path: { readonly [Name in Parameter]: string };
  /** The body as it was sent; it fits the endpoint's schema. */
  readonly body: Body;
  /** The query as it was sent. */
  readonly query: URLSearchParams;
  /** Whose secret the request carries. */
  readonly caller: Caller;
  /** The region whose records are used. */
  readonly region: Region;
  /** The records of this region, to read and to change. */
  readonly state: MutableRegionState;
  /** Gives ids for new records. */
  readonly ids: NewIds;
  /** What the fake does where the document is silent. */
  readonly choices: FakeChoices;
}

/** What the service does for one endpoint: changes the state, and returns the body of the answer. */
export type Operation<Declared> =
  Declared extends Endpoint<infer Path, infer Body, infer _Query, infer _Result>
    ? (call: OperationCall<PathParameter<Path>, Body>) => unknown
    : never;

/** One for each documented operation: a forgotten one does not compile. */
export type Operations = { readonly [Name in OperationName]: Operation<(typeof endpoints)[Name]> };
