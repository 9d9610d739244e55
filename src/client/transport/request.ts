import type { Endpoint, HttpMethod, QueryValue } from '../../endpoints/endpoint.js';
import { RequestValidationError } from '../../errors/index.js';
import { type Issue, threwIssue, typeName, wrongType } from '../../ground/issues.js';
import { findNonJson } from '../../ground/json.js';
import type { StandardSchemaV1 } from '../../ground/standard-schema.js';
import { isOwnSchema } from '../../schemas/object.js';
import { validate } from '../../validation/validate.js';

/** Arguments of a call, by the parts of an endpoint. */
export interface RequestInput {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly query?: unknown;
}

/** A checked request, the same for every attempt. */
export interface PreparedRequest {
  readonly method: HttpMethod;
  /** Relative to the base address, parameters encoded, with the query. */
  readonly path: string;
  readonly body: string | undefined;
}

/** Checks every argument, in every validation mode, before anything is sent. */
export async function prepareRequest(
  endpoint: Endpoint,
  input: RequestInput | null,
): Promise<PreparedRequest> {
  const { method, path: route } = endpoint;
  try {
    const path = fillPath(endpoint, input?.path ?? {});
    const query = endpoint.query && (await checked(endpoint.query, input?.query, 'query'));
    return {
      method,
      path: query === undefined ? path : path + queryString(query),
      body: endpoint.body && (await bodyText(endpoint.body, input?.body)),
    };
  } catch (error) {
    const isRefused = error instanceof Refusal;
    // A `toJSON`, or a custom schema.
    const issues = isRefused ? error.issues : [threwIssue];
    const cause = isRefused ? undefined : error;
    throw new RequestValidationError({ method, path: route, issues, cause });
  }
}

/** Ends the checks. What is thrown otherwise, of whatever class, comes from the user's own code. */
class Refusal extends Error {
  constructor(readonly issues: readonly Issue[]) {
    super();
  }
}

function refuse(...issues: readonly Issue[]): never {
  throw new Refusal(issues);
}

function fillPath(endpoint: Endpoint, values: Readonly<Record<string, unknown>>): string {
  const reserved: Readonly<Record<string, readonly string[] | undefined>> = endpoint.reserved ?? {};
  const issues: Issue[] = [];
  const filled = endpoint.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = values[name];
    const problem = pathProblem(value, reserved[name]);
    if (problem === undefined) return encodeURIComponent(value as string);
    issues.push({
      path: [name],
      code: 'invalid_id',
      message: `expected a non-empty id, received ${problem}`,
    });
    return '';
  });
  return issues.length === 0 ? filled : refuse(...issues);
}

function pathProblem(value: unknown, reserved: readonly string[] = []): string | undefined {
  if (typeof value !== 'string') return typeName(value);
  if (value.trim() === '') return value === '' ? 'an empty string' : 'a blank string';
  const plain = decoded(value);
  // Some servers and proxies read `%2F` as a slash, leave out what follows a semicolon, or all behind a question mark, and then follow the dots.
  const readings = [plain, plain.replace(/[?#\0].*/s, '')].map((reading) => partsOf(reading));
  const paths = readings.map((parts) => parts.filter(Boolean).join('/'));
  const other =
    reserved.find((one) => [plain, ...paths].includes(decoded(one))) ??
    readings.flat().find((part) => /^\.\.?$/.test(part));
  if (other !== undefined) return `'${other}', the path of another operation`;
  // A lone half of a surrogate pair has no UTF-8 form, and could not be encoded.
  return /\p{Surrogate}/u.test(value) ? 'a string that is not valid Unicode' : undefined;
}

function partsOf(path: string): string[] {
  return path
    .replace(/;[^/\\]*/g, '')
    .split(/[/\\]/)
    .map((part) => part.trim());
}

/** More often than any chain of servers and proxies decodes an address. */
const MAX_DECODED = 8;

/** As a server or a proxy may read it that decodes twice, and heeds no case. */
function decoded(id: string, times = MAX_DECODED): string {
  const plain = id.trim().toLowerCase();
  const next = plain.replace(/%([\da-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  // Not until nothing is left to decode: an id of 100 kB would take seconds.
  return next === plain || times === 1 ? next : decoded(next, times - 1);
}

async function bodyText(schema: StandardSchemaV1, value: unknown): Promise<string> {
  const text = JSON.stringify(await checked(schema, value, 'body'));
  // JSON leaves out what an object inherits, such as the getters of its class: what is sent has to fit too.
  if (isOwnSchema(schema)) await checked(schema, JSON.parse(text), 'body');
  return text;
}

async function checked(schema: StandardSchemaV1, value: unknown, part: string): Promise<unknown> {
  if (value === undefined)
    return refuse({ path: [], code: 'invalid_type', message: wrongType(`a ${part}`, value) });
  const verdict = await validate(schema, value, 'strict');
  if (!verdict.ok) return refuse(...verdict.issues);
  const lost = findNonJson(verdict.value);
  if (lost !== undefined) refuse(lost);
  return verdict.value;
}

function queryString(query: unknown): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query as Readonly<Record<string, QueryValue>>)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? (value as readonly QueryValue[]) : [value]) {
      if (typeof one === 'object') {
        const message = `expected a plain value or a list of them, received ${typeName(one)}`;
        refuse({ path: [name], code: 'invalid_type', message });
      }
      parameters.append(name, String(one));
    }
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
