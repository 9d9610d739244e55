import * as z from 'zod/v4/mini';
import { EnvelopeSchema } from '../schemas/envelope.js';
import { isOwnSchema, owned } from '../schemas/object.js';
import {
  isStandardSchema,
  listOf,
  type SchemaOutput,
  type StandardSchemaV1,
} from '../utils/standard-schema.js';

/** How a response is read. Made by {@link withData}, {@link withFields}, {@link withPage} and {@link withoutData}. */
export interface ResponseShape<Result> {
  /**
   * The part of the body that the caller gets: `data` of the envelope, its fields beside `success` and
   * `message`, nothing, or the whole body.
   */
  readonly kind: 'data' | 'fields' | 'none' | 'body';
  /** The schema of the whole body, or of the envelope around `fields`. */
  readonly schema: StandardSchemaV1;
  /** The exported schema of the whole body, if it has fields of its own: for openapi.json alone. */
  readonly whole?: StandardSchemaV1 | undefined;
  /** The schemas of fields of the envelope, each of which is validated for itself. */
  readonly fields?: EnvelopeFields | undefined;
  /** For the compiler alone: what the caller gets. Not there at run time. */
  readonly result?: Result;
}

/** Schemas of fields of an envelope, by name. */
export interface EnvelopeFields {
  readonly [name: string]: StandardSchemaV1;
}

/**
 * Reads the envelope `{ success, message, data }`, and returns its `data` (specification, 2.7).
 *
 * For an envelope with more fields, use {@link withFields}. For a list with a cursor, use {@link withPage}.
 *
 * @param schema - Any Standard Schema of `data`; its output is returned. A value that does not match a schema
 *   of this package, or an array of one, is drift in `tolerant` mode. Any other schema decides alone.
 * @throws {TypeError} If it is not a Standard Schema.
 *
 * @example
 * ```ts
 * import { endpoint, withData } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * // Named in 4.4; the rest of the shape is made up.
 * const assignTools = endpoint({
 *   method: 'PATCH',
 *   path: '/agents/{id}',
 *   body: z.object({ nodes: z.array(z.object({ toolsIds: z.array(z.string()) })) }),
 *   response: withData(z.object({ id: z.string() })),
 * });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function withData<Schema extends StandardSchemaV1>(
  schema: Schema,
): ResponseShape<SchemaOutput<Schema>> {
  if (!isStandardSchema(schema)) throw new TypeError("withData: takes a Standard Schema, such as Zod's");
  return { kind: 'data', schema: EnvelopeSchema, fields: { data: schema } };
}

/**
 * Reads an envelope with more fields than `success` and `message`, such as a total.
 *
 * The caller gets all fields but these two; those without a schema as they were sent, although the type lacks
 * them.
 *
 * @param fields - A Standard Schema for each field, as for {@link withData}. Each decides for its field alone.
 * @throws {TypeError} If one is not a Standard Schema.
 *
 * @example
 * ```ts
 * import { ConversationSchema, endpoint, withFields } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * // Made up: the specification does not show an operation that lists conversations.
 * const listConvos = endpoint({
 *   method: 'GET',
 *   path: '/agents/{agentId}/convos',
 *   response: withFields({ data: z.array(ConversationSchema), total: z.number() }),
 * });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function withFields<Fields extends EnvelopeFields>(
  fields: Fields,
): ResponseShape<{ [Name in keyof Fields]: SchemaOutput<Fields[Name]> }> {
  // From JavaScript it may be anything.
  const schemas: unknown[] = Object.values((fields as Fields | null | undefined) ?? { '': undefined });
  if (!schemas.every(isStandardSchema)) {
    throw new TypeError("withFields: takes an object of Standard Schemas, such as Zod's");
  }
  return { kind: 'fields', schema: EnvelopeSchema, fields };
}

/** The names of the parts of a page, where the service does not use these. */
export interface PageNames {
  /** The field of the rows. Default `'data'`. */
  readonly data?: string;
  /** The field of the next page's cursor. Default `'nextCursor'`. */
  readonly nextCursor?: string;
  /** The field that says whether more pages follow. Default `'hasMore'`. */
  readonly hasMore?: string;
  /** The field of the query that takes a cursor. Default `'cursor'`. */
  readonly cursor?: string;
}

type NameOf<Names extends PageNames, Part extends keyof PageNames> = Names[Part] extends string
  ? Names[Part]
  : Part;

/** The fields of a page's envelope. */
export type PageFields<Row, Names extends PageNames> = {
  [Name in NameOf<Names, 'data'>]: Row[];
} & {
  [Name in NameOf<Names, 'nextCursor'>]?: string | number | null | undefined;
} & {
  [Name in NameOf<Names, 'hasMore'>]?: boolean | undefined;
};

/** How one page of a list is read. Made by {@link withPage}. */
export interface PageShape<Result, Row, Cursor extends string> extends ResponseShape<Result> {
  /** The names of its parts. */
  readonly page: Required<PageNames> & {
    /** The field of the query that takes a cursor. */
    readonly cursor: Cursor;
  };
  /** For the compiler alone: one row. Not there at run time. */
  readonly row?: Row;
}

/**
 * Reads one page of a list: `{ data, nextCursor?, hasMore? }`. `platform.paginate(…)` reads all of them.
 *
 * A choice: the specification shows no list with a cursor. `platform.send(…)` gives the fields of one page.
 *
 * @param record - The Standard Schema of one row, as for {@link withData}; not of a list.
 * @param names - The service's own names of these parts, and of the cursor in the query.
 * @throws {TypeError} If the record is not a Standard Schema, or a name is unknown or not a string.
 *
 * @example
 * ```ts
 * import { AgentPlatform, ConversationSchema, endpoint, withPage } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * // Made up: the specification does not show an operation that lists conversations.
 * const listConvos = endpoint({
 *   method: 'GET',
 *   path: '/agents/{agentId}/convos',
 *   query: z.object({ limit: z.number().optional(), after: z.string().optional() }),
 *   response: withPage(ConversationSchema, { nextCursor: 'next', cursor: 'after' }),
 * });
 *
 * const platform = new AgentPlatform();
 * for await (const convo of platform.paginate(listConvos, { path: { agentId: 'agent_1' } })) {
 *   console.log(convo.ID);
 * }
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function withPage<Row extends StandardSchemaV1, const Names extends PageNames = {}>(
  record: Row,
  names?: Names,
): PageShape<PageFields<SchemaOutput<Row>, Names>, SchemaOutput<Row>, NameOf<Names, 'cursor'>>;
export function withPage(record: StandardSchemaV1, names?: PageNames): PageShape<unknown, unknown, string> {
  if (!isStandardSchema(record)) throw new TypeError('withPage: takes the Standard Schema of one record');
  const page = { data: 'data', nextCursor: 'nextCursor', hasMore: 'hasMore', cursor: 'cursor', ...names };
  const { cursor, ...parts } = page;
  const fieldNames: readonly unknown[] = Object.values(parts);
  const areTexts = [cursor, ...fieldNames].every((name) => typeof name === 'string' && name !== '');
  if (!areTexts || fieldNames.length > 3 || new Set(fieldNames).size < 3) {
    throw new TypeError(
      'withPage: takes names of data, nextCursor, hasMore and cursor: strings, not empty, all different',
    );
  }
  const fields = {
    [page.data]: isOwnSchema(record) ? z.array(record as unknown as z.core.$ZodType) : listOf(record),
    // Marked, so that another type is drift.
    [page.nextCursor]: owned(z.optional(z.union([z.string(), z.number(), z.null()]))),
    [page.hasMore]: owned(z.optional(z.boolean())),
  };
  return { kind: 'fields', schema: EnvelopeSchema, fields, page };
}

/**
 * Reads the envelope `{ success, message }` of an operation without data (specification, 2.7).
 *
 * A 2xx with an empty body is a success too, in every validation mode: a choice of this package.
 *
 * @example
 * ```ts
 * import { endpoint, withoutData } from 'agent-platform-sdk';
 *
 * // Made up: the specification shows no deletion but that of a workspace.
 * const deleteAgent = endpoint({ method: 'DELETE', path: '/agents/{agentId}', response: withoutData() });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function withoutData(): ResponseShape<void> {
  return { kind: 'none', schema: EnvelopeSchema };
}
