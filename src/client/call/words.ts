import { isObject } from '../../utils/json.js';
import { printable } from '../../utils/printable.js';
import { MASK } from '../../utils/redact.js';
import type { TokenSource } from '../options.js';
import { type Call, latestAttempt } from './call.js';

/** The shortest token that is masked. Shorter ones may be parts of everyday words. */
const MIN_TOKEN_CHARACTERS = 8;
/** The most characters of a body that are words: a longer text is a page or a trace. */
const MAX_PLAIN_CHARACTERS = 300;

/**
 * Finds the service's words in every form that it uses: `message`; else `error.message`, a text as `error`,
 * `errors[0].message` or a text as `errors`; else a short plain text.
 *
 * @param body - The parsed body, or the text of one that is not JSON.
 * @returns The words, and the `code` beside them, as sent.
 */
export function findWords(body: unknown): { readonly words: string; readonly code?: unknown } | undefined {
  if (typeof body === 'string') return isPlainText(body) ? { words: body } : undefined;
  if (!isObject(body)) return undefined;
  const { error, errors } = body;
  for (const holder of [body, error, Array.isArray(errors) ? (errors[0] as unknown) : errors]) {
    if (isWords(holder)) return { words: holder };
    // A `code` without words beside it may come from anything.
    if (isObject(holder) && isWords(holder.message)) return { words: holder.message, code: holder.code };
  }
  return undefined;
}

function isWords(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Whether a text is short, and neither markup, JSON nor bytes. */
function isPlainText(text: string): boolean {
  return isWords(text) && text.length <= MAX_PLAIN_CHARACTERS && !/^\s*[<{[]|[\0\uFFFD]/.test(text);
}

/** Returns outside words as an error shows them: on one line, without secrets. */
export function serviceWords(call: Call, words: string): string {
  return printable(withoutSecrets(call, words).replace(/\s+/g, ' ').trim());
}

/**
 * Masks the token in a text, and the query of the call, which a 404 may repeat. A text that is cut must be masked
 * before: a part of the token would stay.
 */
export function withoutSecrets(call: Call, text: string): string {
  const { path } = call.request;
  const shown = path.includes('?') ? text.replaceAll(path, pathOf(call)) : text;
  return masked(shown, tokenOf(call));
}

/** Returns the path of a call as everybody may see it. */
export function pathOf(call: Call): string {
  return shownPath(call.request.path, tokenOf(call));
}

/**
 * Returns a path as everybody may see it: `/leads?email=…`. Each value of a query may be a secret or personal
 * (gaxios#604), and an id may be the token by mistake.
 *
 * @param token - A function gives it later, so that it is unknown.
 */
export function shownPath(path: string, token: TokenSource | undefined): string {
  const [start = '', query] = path.split(/(?<=\?)(.*)/s);
  return masked(start + (query?.replace(/=[^&]*/g, '=…') ?? ''), token);
}

function tokenOf(call: Call): TokenSource | undefined {
  return latestAttempt(call)?.token ?? call.options.token;
}

/** Returns a text without the token, however it is percent-encoded: in part, in lower case, twice. */
export function masked(text: string, token: TokenSource | undefined): string {
  if (typeof token !== 'string' || token.length < MIN_TOKEN_CHARACTERS) return text;
  if (!text.includes('%')) return text.replaceAll(token, MASK);
  // A token is ASCII: each character is one byte.
  const characters = Array.from(token, (one) => {
    const hex = one.charCodeAt(0).toString(16).padStart(2, '0');
    return `(?:\\x${hex}|%(?:25)*${hex.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
  return text.replace(new RegExp(characters.join(''), 'g'), MASK);
}

/** Describes a body that is not what was expected: `HTML, 1234 characters`. */
export function describeBody(text: string, isCut = false): string {
  const start = text.trimStart().slice(0, 20);
  if (start === '') return 'an empty body';
  let kind = 'text that is not JSON';
  if (/^<(!doctype )?html/i.test(start)) kind = 'HTML';
  else if (/^[[{]/.test(start)) kind = 'broken or unexpected JSON';
  return `${kind}, ${isCut ? 'cut off after ' : ''}${text.length} characters`;
}
