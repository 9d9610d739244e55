import type * as z from 'zod/v4/mini';
import type { Endpoint, HttpMethod, QueryValue } from '../../endpoints/endpoint.js';
import { encodePath } from '../../endpoints/path.js';
import { RequestValidationError } from '../../errors/index.js';
import { isOwnSchema } from '../../schemas/object.js';
import { type Issue, threwIssue, typeName, wrongType } from '../../utils/issues.js';
import { findNonJson, isObject } from '../../utils/json.js';
import type { StandardSchemaV1 } from '../../utils/standard-schema.js';
import { didYouMean, hintFor } from '../../utils/suggest.js';
import { validate, validateOwn } from '../../validation/validate.js';
import { isCallOption } from '../settings.js';
import { idProblem } from './id.js';

/** The arguments of a call, by the parts of an endpoint. */
export interface RequestInput {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly query?: unknown;
}

/** The path of a request that no declaration describes. It may have a query. */
export interface RawPath {
  readonly sent: string;
  /** As everybody may see it. */
  readonly shown: string;
}

/** A checked request, the same for every attempt. */
export interface PreparedRequest {
  readonly method: HttpMethod;
  /** Relative to the base address, parameters encoded, with the query. */
  readonly path: string;
  readonly body: string | undefined;
}

/**
 * Checks every argument, in every validation mode, before anything is sent.
 *
 * @param raw - The whole path of a request that no declaration describes.
 * @throws {RequestValidationError} If an argument is wrong. What a schema or a getter threw is its `cause`.
 */
export async function prepareRequest(
  endpoint: Endpoint,
  given: RequestInput | null,
  raw?: RawPath,
): Promise<PreparedRequest> {
  const { method } = endpoint;
  const [rawPath, rawQuery] = raw?.sent.split(/\?(.*)/s) ?? [];
  try {
    // A query without required fields may be left out.
    const { path: ids = {}, query: parameters = {}, body: content } = inputOf(endpoint, given);
    const path = rawPath ?? fillPath(endpoint, ids);
    const query = endpoint.query && queryString(await checkPart(endpoint.query, parameters, 'query'));
    const body = endpoint.body && JSON.stringify(await checkPart(endpoint.body, content, 'body'));
    const search = [rawQuery, query].filter(Boolean).join('&');
    return { method, path: encodePath(search === '' ? path : `${path}?${search}`), body };
  } catch (error) {
    const found =
      error instanceof InvalidInput ? { issues: error.issues } : { issues: [threwIssue], cause: error };
    throw new RequestValidationError({ method, path: raw?.shown ?? endpoint.path, ...found });
  }
}

/** Ends the checks, with the issues that were found. */
class InvalidInput extends Error {
  constructor(readonly issues: readonly Issue[]) {
    super();
  }
}

function refuseIf(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new InvalidInput(issues);
}

function refuseType(path: Issue['path'], message: string): never {
  throw new InvalidInput([{ path, code: 'invalid_type', message }]);
}

/** Returns the input, whose parts are those of the endpoint. From JavaScript it may be anything, such as an id. */
function inputOf(endpoint: Endpoint, given: unknown): RequestInput {
  const parts = ['path', ...(['query', 'body'] as const).filter((part) => endpoint[part] !== undefined)];
  if (!isObject(given)) {
    refuseType([], `expected the input in the form { ${parts.join(', ')} }, received ${typeName(given)}`);
  }
  const others = Object.keys(given).filter((name) => given[name] !== undefined && !parts.includes(name));
  refuseIf(others.map((name) => unknownField([name], hintFor(name, parts, '`'))));
  return given;
}

/** The issue of a field that nothing reads: an option in the wrong place, or a misspelt name. */
function unknownField(path: readonly string[], hint?: string): Issue {
  const problem = hint === undefined ? 'unknown field' : `unknown field. ${hint}`;
  const message = isCallOption(path.at(-1) ?? '') ? 'is an option: pass it after the input' : problem;
  return { path, code: 'unrecognized_key', message };
}

function fillPath({ path, reserved = {} }: Endpoint, ids: unknown): string {
  // Every second part is a name. To match `{name}` instead took 25 µs more of each call (Node 24).
  const parts = path.split(/[{}]/);
  const names = parts.filter((_, index) => index % 2 === 1);
  if (!isObject(ids)) {
    // From JavaScript: `conversations.get(agentId, convoId)`.
    const form = `{ ${names.join(', ')} }`;
    refuseType(['path'], `expected the ids by name in one object, ${form}, received ${typeName(ids)}`);
  }
  // Other names may be those of a whole record, such as the payload of an event.
  const options = Object.keys(ids).filter(isCallOption);
  const wrong = names.flatMap((name): Issue[] => {
    // The type ties the names to those of a path that is known.
    const problem = idProblem(ids[name], (reserved as Readonly<Record<string, readonly string[]>>)[name]);
    return problem === undefined ? [] : [{ path: [name], code: 'invalid_id', message: problem }];
  });
  refuseIf([...options.map((name) => unknownField([name])), ...wrong]);
  return parts
    .map((part, index) => (index % 2 === 1 ? encodeURIComponent(String(ids[part])) : part))
    .join('');
}

/**
 * Returns a query or a body as it is sent. A schema of this package also refuses fields that it does not list. Any
 * other schema decides alone, and its output is sent.
 */
async function checkPart(schema: StandardSchemaV1, value: unknown, part: string): Promise<unknown> {
  if (value === undefined) refuseType([], wrongType(`a ${part}`, value));
  if (!isOwnSchema(schema)) {
    const verdict = await validate(schema, value, 'strict');
    if (!verdict.ok) throw new InvalidInput(verdict.issues);
    refuseNonJson(verdict.value);
    return verdict.value;
  }
  refuseNonJson(value);
  const sent: unknown = JSON.parse(JSON.stringify(value, idsAsText));
  // This package's schemas are Zod's, seen through the Standard Schema interface.
  const zodSchema = schema as unknown as z.core.$ZodType;
  const verdict = validateOwn(zodSchema, sent, 'strict');
  refuseIf([...(verdict.ok ? [] : verdict.issues), ...findRefused(zodSchema, sent)]);
  return sent;
}

function refuseNonJson(value: unknown): void {
  const issue = findNonJson(value);
  if (issue !== undefined) throw new InvalidInput([issue]);
}

/** The fields that are ids. */
const ID_FIELDS: readonly string[] = ['workspaceId', 'phoneNumberSid'];

/** An id may be a number, as in a path. */
function idsAsText(name: string, value: unknown): unknown {
  return ID_FIELDS.includes(name) && Number.isSafeInteger(value) ? String(value) : value;
}

/**
 * Finds what a client refuses in arguments: unknown fields, mostly misspelt ones, and empty ids and keys.
 *
 * These are choices of this package, not of the specification, so the schemas and openapi.json lack them.
 */
function findRefused(schema: z.core.$ZodType, value: unknown, path: readonly string[] = []): Issue[] {
  // Zod's own union of its schemas, discriminated by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional') return findRefused(def.innerType, value, path);
  if (def.type !== 'object' || !isObject(value)) return [];
  const known = Object.keys(def.shape);
  return Object.entries(value).flatMap(([name, field]): Issue[] => {
    const at = [...path, name];
    const fieldSchema = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
    if (fieldSchema === undefined) return [unknownField(at, didYouMean(name, known))];
    if (field === '' && name === 'key') {
      return [{ path: at, code: 'too_small', message: 'expected a non-empty string' }];
    }
    // The schema says what is no text.
    const problem = typeof field === 'string' && ID_FIELDS.includes(name) ? idProblem(field) : undefined;
    if (problem !== undefined) return [{ path: at, code: 'invalid_id', message: problem }];
    return findRefused(fieldSchema, field, at);
  });
}

function queryString(query: unknown): string {
  if (!isObject(query)) refuseType(['query'], wrongType('object', query));
  const parameters = new URLSearchParams();
  // Declared as an object of such values.
  for (const [name, value] of Object.entries(query as Readonly<Record<string, QueryValue>>)) {
    for (const one of Array.isArray(value) ? (value as readonly QueryValue[]) : [value]) {
      const problem = `expected a plain value or a list of them, received ${typeName(one)}`;
      if (typeof one === 'object') refuseType([name], problem);
      // No object, so it has a text of its own.
      if (one !== undefined) parameters.append(name, String(one as string | number | boolean));
    }
  }
  return parameters.toString();
}
