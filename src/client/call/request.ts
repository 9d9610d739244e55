import type * as z from 'zod/v4/mini';
import type { Endpoint, HttpMethod, QueryValue } from '../../endpoints/endpoint.js';
import { encodePath } from '../../endpoints/path.js';
import { RequestValidationError } from '../../errors/index.js';
import { isOwnSchema } from '../../schemas/object.js';
import { type Issue, threwIssue, typeName, wrongType } from '../../utils/issues.js';
import { findNonJson, isObject } from '../../utils/json.js';
import type { StandardSchemaV1 } from '../../utils/standard-schema.js';
import { didYouMean } from '../../utils/suggest.js';
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
  // From JavaScript, the arguments may be null: what is missing is then named.
  const input = given ?? {};
  const { method } = endpoint;
  const [rawPath, rawQuery] = raw?.sent.split(/\?(.*)/s) ?? [];
  try {
    if (!isObject(input)) refuseForm(endpoint, input);
    refuseOtherParts(endpoint, input);
    const path = rawPath ?? fillPath(endpoint, input);
    // A query without required fields may be left out.
    const { query: parameters = {} } = input;
    const query = endpoint.query && queryString(await checkPart(endpoint.query, parameters, 'query'));
    const body = endpoint.body && JSON.stringify(await checkPart(endpoint.body, input.body, 'body'));
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

function refuseInput(path: Issue['path'], code: string, message: string): never {
  throw new InvalidInput([{ path, code, message }]);
}

/** From JavaScript: `send(endpoints.getTool, 'tool_1')`. */
function refuseForm(endpoint: Endpoint, input: unknown): never {
  const names = parameterNames(endpoint).join(', ');
  const parts = [names && `path: { ${names} }`, endpoint.query && 'query', endpoint.body && 'body'];
  const form = `{ ${parts.filter(Boolean).join(', ')} }`;
  refuseInput([], 'invalid_type', `expected the input in the form ${form}, received ${typeName(input)}`);
}

/** From JavaScript: `send(listConvos, { path, timeout: 5000 })`, or a query that the endpoint does not declare. */
function refuseOtherParts(endpoint: Endpoint, input: RequestInput): void {
  const parts = ['path', ...(['query', 'body'] as const).filter((part) => endpoint[part] !== undefined)];
  // An id beside `path` has its own words.
  const known = [...parts, ...parameterNames(endpoint)];
  const given = Object.entries(input).filter(([name, value]) => value !== undefined && !known.includes(name));
  if (given.length > 0) throw new InvalidInput(given.map(([name]) => unknownField([name], parts)));
}

/** The issue of a field that nothing reads: an option in the wrong place, or a misspelt name. */
function unknownField(path: readonly string[], known: readonly string[]): Issue {
  const name = path.at(-1) ?? '';
  const meant = didYouMean(name, known);
  const hint = meant === undefined ? '' : `. ${meant}`;
  const message = isCallOption(name) ? 'is an option: pass it after the input' : `unknown field${hint}`;
  return { path, code: 'unrecognized_key', message };
}

function parameterNames({ path }: Endpoint): string[] {
  // Every second part is the name of a parameter.
  return path.split(/[{}]/).filter((_, index) => index % 2 === 1);
}

function fillPath(endpoint: Endpoint, input: RequestInput): string {
  const ids: unknown = input.path ?? {};
  if (!isObject(ids)) {
    // From JavaScript: `conversations.get(agentId, convoId)`.
    const names = parameterNames(endpoint).join(', ');
    const message = `expected the ids by name in one object, { ${names} }, received ${typeName(ids)}`;
    refuseInput(['path'], 'invalid_type', message);
  }
  // The type ties the names to those of a path that is known.
  const reserved = endpoint.reserved as Readonly<Record<string, readonly string[]>> | undefined;
  // Other names may be those of a whole record, such as the payload of an event.
  const issues = Object.keys(ids)
    .filter(isCallOption)
    .map(
      (name): Issue => ({
        path: [name],
        code: 'unrecognized_key',
        message: 'is an option: pass it after the ids',
      }),
    );
  // Every second part is the name of a parameter.
  const path = endpoint.path.split(/[{}]/).map((name, index) => {
    if (index % 2 === 0) return name;
    const id = ids[name];
    const problem = idProblem(id, reserved?.[name] ?? []);
    if (problem === undefined) return encodeURIComponent(String(id));
    const isBeside = id === undefined && name in input;
    const message = isBeside ? `expected under \`path\`: { path: { ${name} } }` : problem;
    issues.push({ path: [name], code: 'invalid_id', message });
    return '';
  });
  if (issues.length > 0) throw new InvalidInput(issues);
  return path.join('');
}

/**
 * Returns a query or a body as it is sent. A schema of this package also refuses fields that it does not list. Any
 * other schema decides alone, and its output is sent.
 */
async function checkPart(schema: StandardSchemaV1, value: unknown, part: string): Promise<unknown> {
  if (value === undefined) refuseInput([], 'invalid_type', wrongType(`a ${part}`, value));
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
  const issues = [...(verdict.ok ? [] : verdict.issues), ...findRefused(zodSchema, sent)];
  if (issues.length > 0) throw new InvalidInput(issues);
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
    if (fieldSchema === undefined) return [unknownField(at, known)];
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
  if (!isObject(query)) refuseInput(['query'], 'invalid_type', wrongType('object', query));
  const parameters = new URLSearchParams();
  // Declared as an object of such values.
  for (const [name, value] of Object.entries(query as Readonly<Record<string, QueryValue>>)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? (value as readonly QueryValue[]) : [value]) {
      if (typeof one === 'object') {
        refuseInput(
          [name],
          'invalid_type',
          `expected a plain value or a list of them, received ${typeName(one)}`,
        );
      }
      parameters.append(name, String(one));
    }
  }
  return parameters.toString();
}
