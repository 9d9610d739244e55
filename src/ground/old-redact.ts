import { isLong, MASK, maskSpans, type Span, spansOfForms, withoutForms } from './echoes.js';
import { parseJson } from './json.js';

/** The marked fields: masked by name, at any depth, in logs and errors. */
export const MARKED_FIELDS: readonly string[] = [
  'dashboardPassword',
  'magicCode',
  'usedSecret',
  'FB_PUSH_TOKEN',
  'serverUrlSecret',
  'workspaceSecret',
  'sessionKey',
  'listenUrl',
];

const marked: ReadonlySet<string> = /* @__PURE__ */ new Set(MARKED_FIELDS);
const ENV_VALUES = ['value', 'defaultValue'];
// `www-authenticate` is a server's question, and worth showing.
const sensitiveHeader =
  /auth(?!enticate)|cookie|secret|token|passw|key|credential|signature|session|jwt|magiccode|listenurl/i;

/** {@link redact}, which takes known secrets out too: each of `forms`, of texts, names and numbers. */
export function masked(value: unknown, forms: readonly string[]): unknown {
  // A short secret is a word, and so are names: masking those would hide what an error is about.
  const longForms = forms.filter(isLong);
  // Each object once: with a copy for each reference, a few that know each other would never end.
  const copies = new Map<object, unknown>();
  let left = MAX_PARTS;
  const copy = (from: unknown, depth: number): unknown => {
    if (left === 0) return CUT;
    left -= 1;
    if (typeof from === 'string') return withoutForms(maskInside(from, forms), forms);
    // Digits may be a secret, and stay a number where they are none.
    if (typeof from === 'number') return withoutForms(`${from}`, forms) === `${from}` ? from : MASK;
    if (isCode(from)) return undefined;
    if (typeof from !== 'object' || from === null) return from;
    if (copies.has(from)) return copies.get(from);
    if (depth === MAX_DEPTH) return CUT;
    // Stands where an object is found within itself, until its copy is made.
    copies.set(from, CUT);
    const made = copyObject(from, depth + 1);
    copies.set(from, made);
    return made;
  };
  const copyList = (from: readonly unknown[], depth: number): unknown[] => {
    const parts: unknown[] = [];
    // Not by its iterator, which may be another, nor beyond what is copied: it may be empty, and of any length.
    for (let at = 0; at < from.length; at += 1) {
      if (left === 0) return [...parts, CUT];
      parts.push(copy(from[at], depth));
    }
    return parts;
  };
  const copyObject = (from: object, depth: number): unknown => {
    // Made anew, because a date or a list may print itself in a way of its own.
    if (from instanceof Date) return new Date(from.getTime());
    if (Array.isArray(from)) return copyList(from, depth);
    // A map, an error, a URL: its fields do not hold its content, so its own description is shown.
    // oxlint-disable-next-line typescript/no-base-to-string
    if (Object.prototype.toString.call(from) !== '[object Object]') return copy(String(from), depth);
    const fields: [string, unknown][] = [];
    for (const [key, field] of Object.entries(from) as [string, unknown][]) {
      if (isCode(field)) continue;
      // A form that was read as JSON, or JSON as a form, has the record for a name.
      const name = isLong(key) ? withoutForms(maskInside(key, longForms), longForms) : key;
      fields.push([name, field !== undefined && isHidden(from, key) ? MASK : copy(field, depth)]);
    }
    // Not by assigning: a field named `__proto__` would set the prototype of the copy.
    return Object.fromEntries(fields);
  };
  return readable(() => copy(value, 0), UNREADABLE);
}

/** Stands in place of what cannot be read. */
const UNREADABLE = '[unreadable]';

/** Behind a getter that throws, say, or a proxy that was revoked, there is nothing to show. */
function readable<Value, Other>(read: () => Value, otherwise: Other): Value | Other {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** A `toJSON` that was copied would print the record as it was. */
const isCode = (value: unknown): boolean => typeof value === 'function' || typeof value === 'symbol';

/** The most values that are copied: getters may make new ones without end. */
const MAX_PARTS = 1_000_000;

/** Stands in place of what is not copied. */
const CUT = '[…]';

/** Deeper than any record of the specification; a hostile body must not overflow the stack of a log line. */
const MAX_DEPTH = 64;

/** Tells whether a field of a record is masked by its name: a marked one, or a value of a variable with `isEnv`. */
export function isHidden(record: object, key: unknown): boolean {
  if (marked.has(key as string)) return true;
  // Anything but a plain no: an `isEnv` of a wrong type must not lay a secret open.
  return ENV_VALUES.includes(key as string) && Boolean((record as { isEnv?: unknown }).isEnv);
}

/**
 * A name, in quotation marks, brackets or a tag too, then a value: quoted (closed or cut off), a structure (up to the end), an
 * address, or bare: up to a blank, or to what separates it from another name. Where the name is followed by a character in the writing
 * of addresses, HTML or JSON: all up to the end.
 */
// Takes lists, because no bundler drops a call whose argument is a spread.
function textPattern(...names: readonly (readonly string[])[]): RegExp {
  const name = `(?:${names.flat().join('|')})`;
  // Nothing follows the value, so no way of reading it is ever tried again.
  const quoted = '\\\\*(["\'])(?:\\\\[^]?|(?!\\2)[^])*\\2?';
  const address = '[a-zA-Z][\\w+.-]*://[^\\s"\'<>]*';
  // A secret that is known is masked already, and may be the beginning of a longer one.
  const bare = '(?:[^\\s,;&}[\\]<>]+|\\[(?:redacted])?|&#\\w{1,8};|[,;&](?![\\s"\']|[\\w.[\\]-]+[=:]))+';
  return new RegExp(
    `((?:${name}[\\\\"'\\]]*\\s*(?:[:=>]\\s*)+)+)(?:${quoted}|(?!\\[redacted])[[{][^]*|${address}|${bare})|` +
      `(${name})\\\\*(?:%|&(?:#|\\w+;)|u00)[^]*`,
    'g',
  );
}
const MARKED_IN_TEXT = /* @__PURE__ */ textPattern(MARKED_FIELDS);
const MARKED_OR_VALUE_IN_TEXT = /* @__PURE__ */ textPattern(MARKED_FIELDS, ENV_VALUES);

/** Masks marked fields in a string of a record or in an address: it may hold a record of its own, as JSON or in words. */
export function maskInside(text: string, forms: readonly string[] = []): string {
  return /^\s*[[{]/.test(text) ? redactText(text, forms) : maskWords(text, forms);
}

/** Masks marked fields in words; the values of variables where it is about one with `isEnv`. */
function maskWords(text: string, forms: readonly string[] = []): string {
  return maskBy(text.includes('isEnv') ? MARKED_OR_VALUE_IN_TEXT : MARKED_IN_TEXT, text, forms);
}

/**
 * Masks marked fields in text: as JSON where it is JSON, by pattern where it is not (truncated, a form, a log).
 * In text that cannot be parsed, every `value` and `defaultValue` is masked, since nothing tells whether `isEnv` holds.
 * So are known secrets, each of `forms`, as they are: {@link withoutForms} finds those that are escaped.
 */
export function redactText(text: string, forms: readonly string[] = []): string {
  const parsed = mayHoldRecord(text) ? parseJson(text) : undefined;
  return parsed === undefined
    ? maskBy(MARKED_OR_VALUE_IN_TEXT, text, forms)
    : JSON.stringify(masked(parsed, forms));
}

/** Tells whether a text may be JSON in which anything is masked. To ask costs less than to parse, and the rest stays as written. */
function mayHoldRecord(text: string): boolean {
  // `\u`, because a name may be written by the numbers of its letters.
  return (
    /^\s*[[{]/.test(text) && [...MARKED_FIELDS, ...ENV_VALUES, '\\u'].some((part) => text.includes(part))
  );
}

/** Letters and digits that are written by their numbers, of which a name in JSON may be made. */
const ESCAPED_LETTER = /\\u00(?:3\d|[46][1-9a-f]|[57][\da]|5f)/gi;

/**
 * Masks by pattern and by known secrets together: one that is taken out first may be a name, or the head of a longer value; and a
 * value that is, the head of a secret.
 */
function maskBy(pattern: RegExp, text: string, forms: readonly string[]): string {
  // Some engines give up on a value of many megabytes.
  return readable(() => {
    const plain = text.replace(ESCAPED_LETTER, (code) => JSON.parse(`"${code}"`) as string);
    const secrets = spansOfForms(plain, forms);
    // Faster, and most texts hold none.
    if (secrets.length === 0) return plain.replace(pattern, `$1$3${MASK}`);
    const values = Array.from(
      plain.matchAll(pattern),
      ({ 0: match, 1: name, 3: other = '', index }): Span => [
        index + (name ?? other).length,
        index + match.length,
      ],
    );
    return maskSpans(plain, [...secrets, ...values]);
  }, UNREADABLE);
}

export function isSensitiveHeader(name: string): boolean {
  return sensitiveHeader.test(name);
}

/**
 * Headers as a plain object. Masked: those whose names speak of credentials, and those that repeat a known secret, in one of
 * its `forms`.
 */
export function redactHeaders(headers: Headers, forms: readonly string[] = []): Record<string, string> {
  const result: Record<string, string> = {};
  const inNames = forms.filter(isLong).map((form) => form.toLowerCase());
  headers.forEach((value, name) => {
    // Not as JSON, which when written anew may hold what no header can; nor can a name, which is in lower case, hold brackets.
    const words = maskWords(value);
    const isShown =
      !isSensitiveHeader(name) && [value, words].every((text) => withoutForms(text, forms) === text);
    result[withoutForms(name, inNames) === name ? name : 'redacted'] = isShown ? words : MASK;
  });
  return result;
}
