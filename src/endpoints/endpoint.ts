import {
  isStandardSchema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchemaV1,
} from '../ground/standard-schema.js';
import type { ResponseShape } from './response-shape.js';

/** The HTTP methods an endpoint can have. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names in braces of a path: `'/agents/{agentId}/convos/{convoId}'` gives `'agentId' | 'convoId'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** A value that can stand in a query string. A list repeats its name; `undefined` leaves the name out. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | undefined;

/** One operation as data: the client sends it, the fake answers it, openapi.json describes it. */
export interface Endpoint<Path extends string = string, Body = unknown, Query = unknown, Result = unknown> {
  /** The HTTP method. */
  readonly method: HttpMethod;
  /** Relative to the base address that ends in `/v3`; parameters in braces. */
  readonly path: Path;
  /** Schema of the request body; undefined where the operation takes none. */
  readonly body?: StandardSchemaV1<Body, unknown> | undefined;
  /** Schema of the query; undefined where the operation takes none. */
  readonly query?: StandardSchemaV1<Query, unknown> | undefined;
  /** The shape of an answer, and the part of it that the caller gets. */
  readonly response: ResponseShape<Result>;
  /** `'bearer'` where a bearer token is sent (specification, 5.2). */
  readonly auth: 'bearer' | 'none';
  /** Values of path parameters that would read another operation, and are refused. */
  readonly reserved?: ReservedValues<Path> | undefined;
}

/** Path values that would address another operation; they are refused before anything is sent. */
export type ReservedValues<Path extends string> = {
  readonly [Name in PathParameter<Path>]?: readonly string[];
};

type PathInput<Path extends string> = [PathParameter<Path>] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: { readonly [Name in PathParameter<Path>]: string } };
type BodyInput<Body> = [Body] extends [undefined] ? { readonly body?: undefined } : { readonly body: Body };
type QueryInput<Query> = [Query] extends [undefined]
  ? { readonly query?: undefined }
  : { readonly query: Query };

/** The input of a call: its path parameters, its body, its query. */
export type EndpointInput<Path extends string, Body, Query> = PathInput<Path> &
  BodyInput<Body> &
  QueryInput<Query>;

type OptionalInput<Schema> = Schema extends StandardSchemaV1 ? SchemaInput<Schema> : undefined;
type ResultOf<Response> =
  Response extends ResponseShape<infer Result>
    ? Result
    : Response extends StandardSchemaV1
      ? SchemaOutput<Response>
      : never;

/** The declaration that {@link endpoint} takes. */
export interface EndpointDeclaration<
  Path extends string,
  Body extends StandardSchemaV1 | undefined,
  Query extends StandardSchemaV1 | undefined,
  Response extends StandardSchemaV1 | ResponseShape<unknown>,
> {
  /** `GET` and `DELETE` send no body. */
  readonly method: HttpMethod;
  /** Starts with a slash; without host, without `/v3` and without a query. Parameters in braces: `/agents/{agentId}/tools`. */
  readonly path: Path;
  /** Any Standard Schema; its output is sent as JSON. */
  readonly body?: Body;
  /** Any Standard Schema of an object of strings, numbers, booleans and lists of them. */
  readonly query?: Query;
  /** Any Standard Schema of the whole body, or {@link withData} / {@link withoutData} for the envelopes of 2.7. */
  readonly response: Response;
  /** `'none'` for the few endpoints without a bearer token (specification, 5.2). Default `'bearer'`. */
  readonly auth?: 'bearer' | 'none' | undefined;
  /** Path values that would address another operation: `{ toolId: ['defaults'] }`. They are refused. */
  readonly reserved?: ReservedValues<NoInfer<Path>> | undefined;
}

/**
 * A slash, no version, parameters in braces alone. No query; and nothing that an address loses or follows on its way, which would call another
 * operation: dots between slashes, encoded or not, a backslash, white space.
 */
const PATH = /^(?!\/v3(\/|$))(\/(?!:|(\.|%2[eE]){1,2}(\/|$))([^{}/?#\\\s\p{Cc}]|\{[^{}]+\})*)+$/u;

/**
 * Declares an operation of the service. The seven documented ones are in {@link endpoints}; declare your own for
 * an operation whose shape the specification does not show, and call it with `platform.send(…)`.
 *
 * The path parameters, the body and the result of the call are typed from the declaration.
 *
 * @throws {TypeError} When the path does not start with a slash, starts with `/v3`, has a parameter that is not in braces, a query, white
 *   space or `..` between slashes; when the method is none of the five, in capitals, or `auth` another word; when there is no response, or when it, the body or the query is no Standard
 *   Schema; or when a `GET` or `DELETE` declares a body.
 *
 * @example
 * ```ts
 * import { AgentPlatform, endpoint, ToolSchema, withData } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * // The specification names this operation (4.4) and does not show its shape: the body and the answer are made up.
 * const createTool = endpoint({
 *   method: 'POST',
 *   path: '/agents/{agentId}/tools',
 *   body: z.object({ name: z.string(), serverUrl: z.url() }),
 *   response: withData(ToolSchema),
 * });
 *
 * const platform = new AgentPlatform();
 * const body = { name: 'CRM lookup', serverUrl: 'https://crm.shop.example/lookup' };
 * const tool = await platform.send(createTool, { path: { agentId: 'agent_1' }, body });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function endpoint<
  const Path extends string,
  Response extends StandardSchemaV1 | ResponseShape<unknown>,
  Body extends StandardSchemaV1 | undefined = undefined,
  Query extends StandardSchemaV1 | undefined = undefined,
>(
  declaration: EndpointDeclaration<Path, Body, Query, Response>,
): Endpoint<Path, OptionalInput<Body>, OptionalInput<Query>, ResultOf<Response>> {
  const { method, path, body, query, response, auth = 'bearer', reserved } = declaration;
  if (!PATH.test(path)) {
    throw new TypeError(
      `endpoint: the path must look like "/tools/{toolId}", without "/v3", "..", a query or white space: ${path}`,
    );
  }
  // From JavaScript, `get` would be sent, and never retried.
  if (!/^(GET|POST|PUT|PATCH|DELETE)$/.test(method)) {
    throw new TypeError(`endpoint: the method of ${path} must be GET, POST, PUT, PATCH or DELETE`);
  }
  // Another word, such as `None`, would send the token.
  if (!['bearer', 'none'].includes(auth)) {
    throw new TypeError(`endpoint: the auth of ${path} must be 'bearer' or 'none'`);
  }
  if (response === undefined) throw new TypeError(`endpoint: ${method} ${path} must declare a response`);
  if (body !== undefined && (method === 'GET' || method === 'DELETE')) {
    throw new TypeError(`endpoint: ${method} ${path} must not declare a body`);
  }
  const shape = isResponseShape(response)
    ? response
    : { schema: response, unwrap: (value: unknown) => value, allowEmpty: false };
  for (const [part, schema] of Object.entries({ body, query, response: shape.schema })) {
    // From JavaScript, an object of fields, which a call would trip over.
    if ((schema !== undefined || part === 'response') && !isStandardSchema(schema)) {
      throw new TypeError(
        `endpoint: the ${part} of ${method} ${path} must be a Standard Schema, such as Zod's`,
      );
    }
  }
  // The casts tie the run-time values to the types inferred from the same declaration.
  return { method, path, body, query, response: shape, auth, reserved } as Endpoint<
    Path,
    OptionalInput<Body>,
    OptionalInput<Query>,
    ResultOf<Response>
  >;
}

function isResponseShape(
  response: StandardSchemaV1 | ResponseShape<unknown>,
): response is ResponseShape<unknown> {
  // Not by `unwrap`, which the arrays and optional values of some schema libraries have too.
  return !('~standard' in response);
}
