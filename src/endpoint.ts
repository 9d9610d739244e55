import type * as z from 'zod/mini';
import { anything, flag, text } from './schemas/leaf.js';
import { isOwnSchema, openObject } from './schemas/object.js';
import type { SchemaInput, SchemaOutput, StandardIssue, StandardSchemaV1 } from './standard-schema.js';
import { validateOwn } from './validation.js';

/** The HTTP methods an endpoint can have. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names in braces of a path: `'/agents/{agentId}/convos/{convoId}'` gives `'agentId' | 'convoId'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** A value that can stand in a query string. A list repeats its name; `undefined` leaves the name out. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | undefined;

/** How an answer is read: the schema of the whole body, and what of it the caller gets. */
export interface ResponseShape<Result> {
  /** Schema of the whole body. */
  readonly schema: StandardSchemaV1;
  /** Takes the caller's part out of a body that fits the schema. */
  readonly unwrap: (body: unknown) => Result;
  /** Whether a 2xx with an empty body is a success too: only where the operation answers without data. */
  readonly allowEmpty: boolean;
}

/** One operation as data: what the client sends, what the fake answers, what the OpenAPI document says. */
export interface Endpoint<Path extends string = string, Body = unknown, Query = unknown, Result = unknown> {
  /** The HTTP method. */
  readonly method: HttpMethod;
  /** Relative to the base address that ends in `/v3`; parameters in braces. */
  readonly path: Path;
  /** Schema of the request body; undefined where the operation takes none. */
  readonly body?: StandardSchemaV1<Body, unknown> | undefined;
  /** Schema of the query; undefined where the operation takes none. */
  readonly query?: StandardSchemaV1<Query, unknown> | undefined;
  /** What an answer looks like, and what of it the caller gets. */
  readonly response: ResponseShape<Result>;
  /** Whether a bearer token is sent (document, 5.2). */
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

/** What a call of an endpoint takes: its path parameters, its body, its query. */
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

/** What {@link endpoint} takes. */
export interface EndpointDeclaration<
  Path extends string,
  Body extends StandardSchemaV1 | undefined,
  Query extends StandardSchemaV1 | undefined,
  Response extends StandardSchemaV1 | ResponseShape<unknown>,
> {
  /** `GET` and `DELETE` send no body. */
  readonly method: HttpMethod;
  /** Starts with a slash; without host and without `/v3`. Parameters in braces: `/agents/{agentId}/tools`. */
  readonly path: Path;
  /** Any Standard Schema; its output is sent as JSON. */
  readonly body?: Body;
  /** Any Standard Schema of an object of strings, numbers, booleans and lists of them. */
  readonly query?: Query;
  /** Any Standard Schema of the whole body, or {@link withData} / {@link withoutData} for the envelopes of 2.7. */
  readonly response: Response;
  /** `'none'` for the few endpoints without a bearer token (document, 5.2). Default `'bearer'`. */
  readonly auth?: 'bearer' | 'none' | undefined;
  /** Path values that would address another operation: `{ toolId: ['defaults'] }`. They are refused. */
  readonly reserved?: ReservedValues<NoInfer<Path>> | undefined;
}

/**
 * Declares an operation of the service. The seven documented ones are in {@link endpoints}; declare your own for
 * an operation whose shape the document does not show, and call it with `platform.send(…)`.
 *
 * The path parameters, the body and the result of the call are typed from the declaration.
 *
 * @throws {TypeError} When the path does not start with a slash, or a `GET` or `DELETE` declares a body.
 *
 * @example
 * ```ts
 * import { AgentPlatform, endpoint, ToolSchema, withData } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * const listTools = endpoint({
 *   method: 'GET',
 *   path: '/agents/{agentId}/tools',
 *   response: withData(z.array(ToolSchema)),
 * });
 *
 * const platform = new AgentPlatform();
 * const tools = await platform.send(listTools, { path: { agentId: 'agent_1' } });
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
  if (!path.startsWith('/')) throw new TypeError(`endpoint: the path must start with "/": ${path}`);
  if (body !== undefined && (method === 'GET' || method === 'DELETE')) {
    throw new TypeError(`endpoint: ${method} ${path} must not declare a body`);
  }
  const shape = isResponseShape(response)
    ? response
    : { schema: response, unwrap: (value: unknown) => value, allowEmpty: false };
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

/**
 * The envelope `{ success, message, data }` (document, 2.7) around a schema: the caller gets `data`.
 *
 * @param schema - Any Standard Schema of `data`; its output is returned.
 *
 * @example
 * ```ts
 * import { endpoint, withData } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * const getAgent = endpoint({
 *   method: 'GET',
 *   path: '/agents/{agentId}',
 *   response: withData(z.object({ id: z.string() })),
 * });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function withData<Schema extends StandardSchemaV1>(
  schema: Schema,
): ResponseShape<SchemaOutput<Schema>> {
  return isOwnSchema(schema) ? withRecord(schema) : unwrapping(foreignEnvelope(schema));
}

/**
 * What {@link withData} comes to for a schema of this package. The documented operations use it by itself, so that
 * no client carries the code for schemas of other libraries.
 */
/* @__NO_SIDE_EFFECTS__ */
export function withRecord<Schema extends StandardSchemaV1>(
  schema: Schema,
): ResponseShape<SchemaOutput<Schema>> {
  // This package's schemas are Zod's.
  return unwrapping(openObject({ ...envelopeFields, data: schema as unknown as z.core.$ZodType }));
}

function unwrapping<Result>(schema: StandardSchemaV1): ResponseShape<Result> {
  return {
    schema,
    // The schema has checked that this is an envelope, unless validation is off or only reports: then it may be null.
    unwrap: (body) => (body as { data: Result } | null)?.data as Result,
    allowEmpty: false,
  };
}

/**
 * The envelope `{ success, message }` (document, 2.7) of an operation without data, such as a deletion. An empty body is a
 * success too, in every validation mode: a choice of this package, because what was asked for has happened.
 *
 * @example
 * ```ts
 * import { endpoint, withoutData } from 'agent-platform-sdk';
 *
 * const deleteAgent = endpoint({ method: 'DELETE', path: '/agents/{agentId}', response: withoutData() });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function withoutData(): ResponseShape<void> {
  return { schema: openObject(envelopeFields), unwrap: () => undefined, allowEmpty: true };
}

/** What every envelope may carry beside its data. */
const envelopeFields = { success: flag, message: text };

/** An envelope whose `data` is validated by a schema of any library. */
function foreignEnvelope(schema: StandardSchemaV1): StandardSchemaV1 {
  const outer = openObject({ ...envelopeFields, data: anything });
  return {
    '~standard': {
      version: 1,
      vendor: 'agent-platform-sdk',
      validate: async (body) => {
        const envelope = validateOwn(outer, body, 'strict');
        if (!envelope.ok) return { issues: envelope.issues };
        const sent = body as { readonly data?: unknown };
        const data = await schema['~standard'].validate(sent.data);
        return data.issues === undefined
          ? { value: { ...sent, data: data.value } }
          : { issues: data.issues.map(insideData) };
      },
    },
  };
}

const insideData = (issue: StandardIssue): StandardIssue => ({
  message: issue.message,
  path: ['data', ...(issue.path ?? [])],
});
