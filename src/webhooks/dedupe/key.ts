import type { AuthenticBody } from '../authenticate.js';

/**
 * Returns the key that all duplicates of an event share: a SHA-256 as 64 hexadecimal digits.
 *
 * It covers the workspace and the text without the secret; compact JSON, if a body parser was in front. The
 * secret is part of it only if nothing else distinguishes workspaces: an event of one must not pass for that of
 * another.
 */
export function keyOf({
  type,
  payload,
  secret,
  text,
  owner: { workspace, isUnnamed },
}: AuthenticBody): string | Promise<string> {
  const whose = isUnnamed ? [secret] : (workspace ?? null);
  // Not what was parsed, if there is a text: numbers above 2^53 are rounded there, and two events may be one.
  const content = text ?? JSON.stringify({ type, payload });
  // The secret must not be guessable from a stored key. A short one is only replaced as a whole JSON string.
  const literal = JSON.stringify(secret);
  const written = String(secret).length >= 8 ? literal.slice(1, -1) : literal;
  return sha256(JSON.stringify(whose), content, written);
}

/**
 * SHA-256 of two texts in UTF-8, as hexadecimal digits. A NUL is between them, and replaces the secret in the
 * second.
 *
 * `node:crypto`'s `hash`, since Node 20.12, is twice as fast for a short text as its `createHash` (nodejs/node#51044).
 * WebCrypto is the last resort: it hashes on another thread (five times as slow for small texts: nodejs/node#42233).
 */
function sha256(whose: string, content: string, secret: string): string | Promise<string> {
  const text = `${whose}\0${content.replaceAll(secret, '\0')}`;
  // The cast reads a global that not every runtime has. `getBuiltinModule` exists since Node 20.16 and 22.3.
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: 'crypto') => NodeCrypto | undefined };
  };
  try {
    return process?.getBuiltinModule?.('crypto')?.hash?.('sha256', text, 'hex') ?? sha256ByWebCrypto(text);
  } catch {
    // In Next's Edge runtime, the functions of `process` throw (next 15.5, server/web/sandbox/context.js).
    return sha256ByWebCrypto(text);
  }
}

/** The part of `node:crypto` that is used. */
interface NodeCrypto {
  readonly hash?: (name: 'sha256', text: string, form: 'hex') => string;
}

async function sha256ByWebCrypto(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
