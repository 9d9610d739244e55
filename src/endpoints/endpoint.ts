import { formatIssues, type Issue } from '../utils/issues.js';
import {
  isStandardSchema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchemaV1,
} from '../utils/standard-schema.js';
import { templateProblem } from './path.js';
import type { PageShape, ResponseShape } from './response-shape.js';

/** The HTTP methods an endpoint can have. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const METHODS: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];

/** The names in braces of a path: `'/agents/{agentId}/convos/{convoId}'` gives `'agentId' | 'convoId'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** A value of a query string. A list repeats its name; `undefined` omits it. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | undefined;

/** Describes one operation as data: the client sends it, the fake responds to it. */
export interface Endpoint<Path extends string = string, Body = unknown, Query = unknown, Result = unknown> {
  /** The HTTP method. */
  readonly method: HttpMethod;
  /** Relative to the base address, which ends in `/v3`. Parameters are in braces. */
  readonly path: Path;
  /** The schema of the request body; undefined if the operation takes none. */
  readonly body?: StandardSchemaV1<Body, unknown> | undefined;
  /** The schema of the query; undefined if the operation takes none. */
  readonly query?: StandardSchemaV1<Query, unknown> | undefined;
  /** How a response is read, and the part of it that the caller gets. */
  readonly response: ResponseShape<Result>;
  /** `'bearer'` if a bearer token is sent, which most endpoints need (specification, 5.2). */
  readonly auth: 'bearer' | 'none';
  /** Values of path parameters that are refused, because they would address another operation. */
  readonly reserved?: { readonly [Name in PathParameter<Path>]?: readonly string[] } | undefined;
}

/** An operation whose response is one page of a list, for `platform.paginate(…)`. */
export interface PagedEndpoint<
  Path extends string = string,
  Body = unknown,
  Query = unknown,
  Result = unknown,
  Row = unknown,
> extends Endpoint<Path, Body, Query, Result> {
  /** How one page is read. */
  readonly response: PageShape<Result, Row, string>;
}

type PathInput<Path extends string> = [PathParameter<Path>] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: { readonly [Name in PathParameter<Path>]: string } };
type BodyInput<Body> = [Body] extends [undefined] ? { readonly body?: undefined } : { readonly body: Body };
type QueryInput<Query> = [Query] extends [undefined]
  ? { readonly query?: undefined }
  : // A query of optional fields only may be left out.
    {} extends Query
    ? { readonly query?: Query | undefined }
    : { readonly query: Query };

/** The input of a call: its path parameters, its body, its query. */
export type EndpointInput<Path extends string, Body, Query> = PathInput<Path> &
  BodyInput<Body> &
  QueryInput<Query>;

/** Without a schema, `never`: under `strict: false`, `undefined` extends every type. */
type OptionalInput<Schema> = [Schema] extends [never] ? undefined : SchemaInput<Schema>;
type ResultOf<Response> =
  Response extends ResponseShape<infer Result>
    ? Result
    : Response extends StandardSchemaV1
      ? SchemaOutput<Response>
      : never;

type DeclaredEndpoint<Path extends string, Body, Query, Response> =
  Response extends PageShape<infer Result, infer Row, string>
    ? PagedEndpoint<Path, Body, Query, Result, Row>
    : Endpoint<Path, Body, Query, ResultOf<Response>>;

/** A query without the field would drop the cursor, and give the first page again. */
type WithCursor<Query, Response> =
  Response extends PageShape<unknown, unknown, infer Cursor>
    ? [Query] extends [never]
      ? { readonly query: QueryWithField<Cursor> }
      : Cursor extends keyof SchemaInput<Query>
        ? unknown
        : { readonly query: QueryWithField<Cursor> }
    : unknown;
interface QueryWithField<Cursor> {
  readonly 'a query with the field of the cursor': Cursor;
}

/** The declaration that {@link endpoint} takes. */
export interface EndpointDeclaration<
  Path extends string = string,
  Body extends StandardSchemaV1 = StandardSchemaV1,
  Query extends StandardSchemaV1 = StandardSchemaV1,
  Response extends StandardSchemaV1 | ResponseShape<unknown> = StandardSchemaV1 | ResponseShape<unknown>,
> {
  /** In capitals. A `GET` sends no body. */
  readonly method: HttpMethod;
  /** Starts with a slash, has no `/v3` and no query. Parameters are in braces: `/agents/{agentId}/tools`. */
  readonly path: Path;
  /** Any Standard Schema. Its output is sent as JSON. */
  readonly body?: Body | undefined;
  /**
   * Any Standard Schema of an object of strings, numbers, booleans and lists of them. If all fields are optional, a
   * call may leave the query out.
   */
  readonly query?: Query | undefined;
  /**
   * Any Standard Schema of the whole body. For an envelope (2.7): {@link withData}, {@link withFields},
   * {@link withPage} or {@link withoutData}.
   */
  readonly response: Response;
  /**
   * Says how the call authenticates. Default `'bearer'`.
   *
   * `'none'` is for the few endpoints without a token, which the API specification mentions but doesn't list (5.2).
   */
  readonly auth?: 'bearer' | 'none' | undefined;
  /** Values that are refused, because they would address another operation: `{ toolId: ['defaults'] }`. */
  readonly reserved?: { readonly [Name in PathParameter<NoInfer<Path>>]?: readonly string[] } | undefined;
}

/**
 * Declares an operation of the service, to call with `platform.send(…)`.
 *
 * The documented ones are in {@link endpoints}. Declare your own for one that the specification omits.
 *
 * The path parameters, the body and the result of the call are typed from the declaration.
 *
 * @throws {TypeError} If the method is unknown, a `GET` has a body, `response` is missing, or the path is wrong. A
 * path starts with a slash but not with `/v3`, puts parameters in braces, and has no query and nothing that URL
 * parsing changes, such as `..` or `\`.
 *
 * @example
 * ```ts
 * import { AgentPlatform, endpoint, ToolSchema, withData } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * // The specification names this operation (4.4), but does not show it: body and response are made up.
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
  Body extends StandardSchemaV1 = never,
  Query extends StandardSchemaV1 = never,
>(
  declaration: EndpointDeclaration<Path, Body, Query, Response> & WithCursor<Query, Response>,
): DeclaredEndpoint<Path, OptionalInput<Body>, OptionalInput<Query>, Response>;
export function endpoint(declaration: EndpointDeclaration): Endpoint {
  const { method, path, body, response, auth = 'bearer' } = declaration;
  const issues = operationIssues(method, templateProblem(path), body);
  const shape = isStandardSchema(response) ? { kind: 'body' as const, schema: response } : response;
  // From JavaScript it may be missing.
  if ((shape as Partial<ResponseShape<unknown>> | undefined)?.kind === undefined) {
    const message =
      'expected withData(schema), withFields(…), withPage(schema), withoutData() or a Standard Schema';
    issues.push({ path: ['response'], code: 'invalid_response', message });
  }
  for (const part of ['body', 'query'] as const) {
    if (declaration[part] === undefined || isStandardSchema(declaration[part])) continue;
    const message = "expected a Standard Schema, such as Zod's";
    issues.push({ path: [part], code: `invalid_${part}`, message });
  }
  if (issues.length > 0) throw new TypeError(`endpoint: ${method} ${path}${formatIssues(issues)}`);
  return { ...declaration, response: shape, auth };
}

/**
 * Describes what is wrong with an operation. From JavaScript it may be anything.
 *
 * @param wrongPath - What is wrong with its path.
 */
export function operationIssues(method: unknown, wrongPath: string | undefined, body: unknown): Issue[] {
  const issues: Issue[] = [];
  const add = (field: string, message: string) =>
    issues.push({ path: [field], code: `invalid_${field}`, message });
  if (!METHODS.includes(method)) add('method', `expected one of ${METHODS.join(', ')}`);
  if (wrongPath !== undefined) add('path', wrongPath);
  if (method === 'GET' && body !== undefined) add('body', 'expected none: a GET sends no body');
  return issues;
}
