import { type Endpoint, endpoints } from '../../src/index.js';
import { bodyName, type Endpoints, type JsonObject, queryParameters } from './components.js';
import type { OperationWords, Words } from './words.js';

/** The `paths` of the document. */
export function paths(words: Words, declared: Endpoints = endpoints): Record<string, JsonObject> {
  const all: Record<string, JsonObject> = {};
  for (const [key, endpoint] of Object.entries(declared)) {
    const { method, path, query } = endpoint;
    const about = words.operation(key);
    const parameters = [...pathParameters(path, about), ...queryParameters(query, words)];
    all[path] = { ...all[path], [method.toLowerCase()]: operation(key, endpoint, about, parameters) };
  }
  return all;
}

function pathParameters(path: string, words: OperationWords): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: words.parameter(name),
    schema: { type: 'string' },
  }));
}

function operation(
  key: string,
  { body }: Endpoint,
  words: OperationWords,
  parameters: readonly JsonObject[],
): JsonObject {
  return {
    operationId: key,
    tags: [words.group],
    summary: words.summary,
    description: words.description,
    ...(words.undocumented && { 'x-undocumented': true }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, ...json(bodyName(key, 'Request')) } }),
    responses: responses(key, words.statuses),
  };
}

/**
 * Lists the statuses that the specification shows. For most operations it shows none for a success, and 200 is a
 * choice: kubb 4.39 and openapi-zod-client 1.18 know no range `2XX`, and oazapfts fails on one beside 200.
 */
function responses(key: string, shown: ReadonlyMap<string, string>): JsonObject {
  const all: JsonObject = {};
  const isSuccess = (status: string) => status.startsWith('2');
  for (const [status, description] of shown) {
    all[status] = { description, ...json(isSuccess(status) ? bodyName(key, 'Response') : 'ErrorBody') };
  }
  if (![...shown.keys()].some(isSuccess)) {
    const body = json(bodyName(key, 'Response'));
    all['200'] = { description: 'The operation succeeded. This status is a choice: none is shown.', ...body };
  }
  all.default = { description: 'The operation failed.', ...json('ErrorBody') };
  return all;
}

/** A JSON body of a named schema. */
function json(schema: string): JsonObject {
  return { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } };
}
