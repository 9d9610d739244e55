import { formatIssues, type Issue } from '../utils/issues.js';
import {
  isStandardSchema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchemaV1,
} from '../utils/standard-schema.js';
import type { ResponseShape } from './response-shape.js';

/** The HTTP methods an endpoint can have. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const METHODS: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The names in braces of a path: `'/agents/{agentId}/convos/{convoId}'` gives `'agentId' | 'convoId'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** A value of a query string. A list repeats its name; `undefined` leaves the name out. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | undefined;

/** One operation as data: the client sends it, the fake responds to it, openapi.json describes it. */
export interface Endpoint<Path extends string = string, Body = unknown, Query = unknown, Result = unknown> {
  /** The HTTP method. */
  readonly method: HttpMethod;
  /** Relative to the base address that ends in `/v3`; parameters in braces. */
  readonly path: Path;
  /** Schema of the request body; undefined if the operation takes none. */
  readonly body?: StandardSchemaV1<Body, unknown> | undefined;
  /** Schema of the query; undefined if the operation takes none. */
  readonly query?: StandardSchemaV1<Query, unknown> | undefined;
  /** How a response is read, and which part of it the caller gets. */
  readonly response: ResponseShape<Result>;
  /** `'bearer'` if a bearer token is sent, as most endpoints need (specification, 5.2). */
  readonly auth: 'bearer' | 'none';
  /** Values of path parameters that would read another operation, and are refused. */
  readonly reserved?: { readonly [Name in PathParameter<Path>]?: readonly string[] } | undefined;
}

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
  /** In capitals. A `GET` sends no body. */
  readonly method: HttpMethod;
  /** Starts with a slash; without host, without `/v3` and without a query. Parameters in braces: `/agents/{agentId}/tools`. */
  readonly path: Path;
  /** Any Standard Schema; its output is sent as JSON. */
  readonly body?: Body;
  /** Any Standard Schema of an object of strings, numbers, booleans and lists of them. */
  readonly query?: Query;
  /** Any Standard Schema of the whole body, or {@link withData} / {@link withoutData} for the envelopes of 2.7. */
  readonly response: Response;
  /** `'none'` for the few endpoints without a bearer token, which are not shown (specification, 5.2). Default `'bearer'`. */
  readonly auth?: 'bearer' | 'none' | undefined;
  /** Path values that would address another operation: `{ toolId: ['defaults'] }`. They are refused. */
  readonly reserved?: { readonly [Name in PathParameter<NoInfer<Path>>]?: readonly string[] } | undefined;
}

/**
 * Declares an operation of the service. The seven documented ones are in {@link endpoints}; declare your own for
 * an operation whose shape the specification does not show, and call it with `platform.send(…)`.
 *
 * The path parameters, the body and the result of the call are typed from the declaration.
 *
 * @throws {TypeError} If the method is another; if the path does not start with a slash, starts with `/v3`, or holds a
 *   query, a fragment, `..` or a parameter without braces; if a `GET` has a body; or if `response` is missing.
 *
 * @example
 * ```ts
 * import { AgentPlatform, endpoint, ToolSchema, withData } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * // The specification names this operation (4.4) and does not show its shape: the body and the response are made up.
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
  const { method, path, body, response, auth = 'bearer' } = declaration;
  const issues = operationIssues(method, path, body);
  const shape = isStandardSchema(response) ? { kind: 'body', schema: response } : response;
  // From JavaScript it may be missing.
  if ((shape as Partial<ResponseShape<unknown>> | undefined)?.kind === undefined) {
    const message = 'expected withData(schema), withoutData() or a Standard Schema';
    issues.push({ path: ['response'], code: 'invalid_response', message });
  }
  if (issues.length > 0) throw new TypeError(`endpoint: ${method} ${path}${formatIssues(issues)}`);
  // The cast ties the run-time values to the types inferred from the same declaration.
  return { ...declaration, response: shape, auth } as unknown as Endpoint<
    Path,
    OptionalInput<Body>,
    OptionalInput<Query>,
    ResultOf<Response>
  >;
}

/** Describes what is wrong with an operation, which from JavaScript may be anything. */
export function operationIssues(method: unknown, path: unknown, body: unknown): Issue[] {
  const issues: Issue[] = [];
  const add = (field: string, message: string) =>
    issues.push({ path: [field], code: `invalid_${field}`, message });
  if (!METHODS.some((one) => one === method)) add('method', `expected one of ${METHODS.join(', ')}`);
  // A parameter may have any name.
  const fixed = String(path).replace(/\{[^{}]+\}/g, 'id');
  if (!/^\/(?!v3(\/|$))[^{}?#\s]*$/.test(fixed) || /\/(:|\.\.?(\/|$))/.test(fixed)) {
    add('path', 'expected a form like "/tools/{toolId}", without "/v3", "..", a query or white space');
  }
  if (method === 'GET' && body !== undefined) add('body', 'expected none: a GET sends no body');
  return issues;
}
