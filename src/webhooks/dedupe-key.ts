import type { VerifiedDelivery } from './envelope.js';

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * What makes two deliveries one event: workspace, type and payload as received, `createdAt` included, the secret not.
 * SHA-256, as 64 hexadecimal digits; the same whether the body came as text, as bytes or parsed.
 */
export async function dedupeKey({ workspace, type, payload }: VerifiedDelivery): Promise<string> {
  const text = toJson([workspace ?? null, type, payload]);
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
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

/** A piece of text that is finished, or a value that is still to be written. */
type Piece = { readonly text: string } | { readonly value: unknown };

/** Writes what `JSON.stringify` would, for values that JSON can hold, without recursion. */
function deepToJson(root: unknown): string {
  const written: string[] = [];
  const left: Piece[] = [{ value: root }];
  for (let piece = left.pop(); piece !== undefined; piece = left.pop()) {
    if ('text' in piece) written.push(piece.text);
    else if (typeof piece.value !== 'object' || piece.value === null)
      written.push(JSON.stringify(piece.value));
    else for (const part of piecesOf(piece.value).reverse()) left.push(part);
  }
  return written.join('');
}

function piecesOf(value: object): Piece[] {
  const isArray = Array.isArray(value);
  const pieces: Piece[] = [{ text: isArray ? '[' : '{' }];
  for (const [key, field] of Object.entries(value)) {
    const comma = pieces.length > 1 ? ',' : '';
    pieces.push({ text: isArray ? comma : `${comma}${JSON.stringify(key)}:` }, { value: field as unknown });
  }
  pieces.push({ text: isArray ? ']' : '}' });
  return pieces;
}
