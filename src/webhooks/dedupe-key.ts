import type { ParsedBody } from './body.js';
import type { Envelope, ReceivedDelivery } from './envelope.js';
import { sha256 } from './sha256.js';

/**
 * What makes two deliveries one event: workspace, type and payload as received, `createdAt` included, the secret not.
 * SHA-256, as 64 hexadecimal digits.
 *
 * Text and bytes are hashed as they came, which costs one pass over them. An object that a body parser has made is
 * written again as compact JSON; it has the key of its text where the sender writes compact JSON too.
 */
export function dedupeKey({ workspace, content }: ReceivedDelivery): Promise<string> {
  return sha256(`${JSON.stringify(workspace ?? null)}\n`, content());
}

/** The text of type and payload without the secret, which must not be guessable from a stored key. */
export function contentOf({ value, text }: ParsedBody, { type, payload, presented }: Envelope): string {
  // What else an envelope may come to hold, such as when it was sent, is not the event's.
  const isAll = Object.keys(value as object).join() === 'type,payload';
  const content = isAll && text !== undefined ? text : toJson({ type, payload });
  // No JSON text holds a NUL, so that nothing else becomes what stands for the secret.
  return content.replaceAll(JSON.stringify(presented), '\0');
}

/** The native writer recurses, and runs out of stack on a body that is nested a few thousand levels deep. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return deepToJson(value);
    throw error;
  }
}

/** Text that is finished. No JSON value is a function. */
type Text = () => string;

/** Writes what `JSON.stringify` would, for values that JSON can hold, without recursion. */
function deepToJson(root: unknown): string {
  let written = '';
  /** What is still to be written, what comes next at the end. */
  const left: unknown[] = [root];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'function') written += (next as Text)();
    else if (typeof next !== 'object' || next === null) written += JSON.stringify(next);
    else for (const part of partsOf(next).reverse()) left.push(part);
  }
  return written;
}

function partsOf(value: object): unknown[] {
  const isArray = Array.isArray(value);
  const parts: unknown[] = [];
  for (const [key, field] of Object.entries(value)) {
    const comma = parts.length > 0 ? ',' : '';
    parts.push(() => (isArray ? comma : `${comma}${JSON.stringify(key)}:`), field);
  }
  return [() => (isArray ? '[' : '{'), ...parts, () => (isArray ? ']' : '}')];
}
