import { formatPath, type Issue } from '../../utils/issues.js';
import { parseJson } from '../../utils/json.js';
import type { StandardSchemaV1 } from '../../utils/standard-schema.js';
import { validate } from '../../validation/validate.js';
import { Refusal } from './refusals.js';
import { isJson } from './responses.js';

/** Returns the body of a request as the endpoint's schema returns it. */
export async function checkBody(schema: StandardSchemaV1, headers: Headers, text: string): Promise<unknown> {
  if (!isJson(headers.get('content-type'))) refuse('The content type must be application/json.');
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') refuse(`The request body must not be encoded, and this is ${encoding}.`);
  const body = parseJson(text);
  if (body === undefined) refuse('The request body is invalid: it must be JSON in UTF-8.');
  const verdict = await validate(schema, body, 'strict');
  if (!verdict.ok) refuse('The request body does not match the operation.', verdict.issues);
  return verdict.value;
}

function refuse(message: string, issues: readonly Issue[] = []): never {
  const lines = issues.map((issue) => `${formatPath(issue.path)}: ${issue.message}`);
  throw new Refusal('invalidRequest', message, { issues: lines });
}

/** How the texts of one name can be meant, the likeliest first. */
const READINGS: readonly ((texts: readonly string[]) => unknown)[] = [
  (texts) => (texts.length === 1 ? texts[0] : texts),
  (texts) => (texts.length === 1 ? plainValue(texts[0] ?? '') : texts.map(plainValue)),
  (texts) => texts,
  (texts) => texts.map(plainValue),
];

/** Returns the query as the endpoint's schema returns it; without one, an object of texts. */
export async function checkQuery(schema: StandardSchemaV1 | undefined, search: string): Promise<unknown> {
  const sent = new URLSearchParams(search);
  const readings = new Map([...sent.keys()].map((name) => [name, 0]));
  const read = (): object =>
    Object.fromEntries([...readings].map(([name, index]) => [name, READINGS[index]?.(sent.getAll(name))]));
  if (schema === undefined) return read();
  for (;;) {
    const query = read();
    const verdict = await validate(schema, query, 'strict');
    if (verdict.ok) return verdict.value;
    // A number is sent as its digits: what does not fit as a text is read in another way.
    const names = verdict.issues.map(({ path: [name] }) => String(name));
    const others = names.filter((name) => (readings.get(name) ?? READINGS.length) < READINGS.length - 1);
    if (others.length === 0) refuse('The query does not match the operation.', verdict.issues);
    for (const name of new Set(others)) readings.set(name, (readings.get(name) ?? 0) + 1);
  }
}

function plainValue(text: string): unknown {
  const value = parseJson(text);
  return typeof value === 'number' || typeof value === 'boolean' ? value : text;
}
