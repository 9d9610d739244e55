import { parseJson } from './json.js';

/** Stands in place of a value that must not be seen. */
export const MASK = '[redacted]';

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
const sensitiveHeader = /auth(?!enticate)|cookie|secret|token|passw|key|credential|signature|session|jwt/i;

/** Tells whether a field of this name may hold a secret: a marked one, or a value of a variable. */
export function isMarked(name: unknown): boolean {
  return marked.has(name as string) || ENV_VALUES.includes(name as string);
}

/**
 * A deep copy with the marked fields masked: `dashboardPassword`, `magicCode`, `usedSecret`, `FB_PUSH_TOKEN`,
 * `serverUrlSecret`, `workspaceSecret`, `sessionKey`, `listenUrl`, and `value` and `defaultValue` of a variable with
 * `isEnv`. For logs: what the SDK itself logs and puts into errors has been through it.
 *
 * Copies what JSON can hold, and dates; other objects, such as an error, become their `String`. Cycles are cut. Never throws:
 * a value that cannot be read, such as with a getter that throws, becomes `'[unreadable]'`.
 *
 * @example
 * ```ts
 * import { redact } from 'agent-platform-sdk';
 *
 * console.log(redact({ name: 'crm', serverUrlSecret: 's3cret' })); // { name: 'crm', serverUrlSecret: '[redacted]' }
 * ```
 */
export function redact(value: unknown): unknown {
  return masked(value, []);
}

/** {@link redact}, which takes known secrets out too: each of `forms`, of texts, names and numbers. */
export function masked(value: unknown, forms: readonly string[]): unknown {
  return readable(() => copy(value, forms, []));
}

/** Behind a getter that throws, say, or a proxy that was revoked, there is nothing to show. */
function readable<Value>(read: () => Value): Value | string {
  try {
    return read();
  } catch {
    return '[unreadable]';
  }
}

function copy(value: unknown, forms: readonly string[], ancestors: readonly object[]): unknown {
  if (typeof value === 'string') return withoutForms(maskInside(value), forms);
  // Digits may be a secret, and stay a number where they are none.
  if (typeof value === 'number') return withoutForms(`${value}`, forms) === `${value}` ? value : MASK;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (ancestors.includes(value) || ancestors.length >= MAX_DEPTH) return '[…]';
  const within = [...ancestors, value];
  if (Array.isArray(value)) return value.map((element) => copy(element, forms, within));
  // A map, an error, a URL: what it holds is not in its fields, and how it describes itself is what is wanted.
  // oxlint-disable-next-line typescript/no-base-to-string
  if (Object.prototype.toString.call(value) !== '[object Object]') return copy(String(value), forms, within);
  const fields = Object.entries(value).map(([key, field]: [string, unknown]) => {
    const isMasked = field !== undefined && isHidden(value, key);
    return [withoutForms(key, forms), isMasked ? MASK : copy(field, forms, within)];
  });
  // Not by assigning: a field named `__proto__` would set the prototype of the copy.
  return Object.fromEntries(fields) as object;
}

/** Deeper than any record of the specification; a hostile body must not overflow the stack of a log line. */
const MAX_DEPTH = 64;

/** Tells whether a field of a record is masked by its name: a marked one, or a value of a variable with `isEnv`. */
export function isHidden(record: object, key: unknown): boolean {
  if (marked.has(key as string)) return true;
  // Anything but a plain no: an `isEnv` of a wrong type must not lay a secret open.
  return ENV_VALUES.includes(key as string) && Boolean((record as { isEnv?: unknown }).isEnv);
}

/** The texts and numbers of a value that {@link redact} masks by the names of their fields. */
export function hiddenTexts(value: unknown, hidden = false, depth = 0): string[] {
  if (typeof value !== 'object' || value === null) return hidden ? [String(value)] : [];
  if (depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    hiddenTexts(field, hidden || isHidden(value, key), depth + 1),
  );
}

/**
 * A name, in quotation marks, brackets or a tag too, then a value: quoted (closed or cut off), a structure (up to the end), or
 * bare. Where the name is followed by a character in the writing of addresses, HTML or JSON: all up to the end.
 */
// Takes lists, because no bundler drops a call whose argument is a spread.
function textPattern(...names: readonly (readonly string[])[]): RegExp {
  const name = `(?:${names.flat().join('|')})`;
  // Nothing follows the value, so no way of reading it is ever tried again.
  const quoted = '\\\\*(["\'])(?:\\\\[^]?|(?!\\2)[^])*\\2?';
  return new RegExp(
    // What is masked already stays as it is.
    `((?:${name}[\\\\"'\\]]*\\s*(?:[:=>]\\s*)+)+)(?:\\[redacted]|${quoted}|[[{][^]*|[^\\s,;&}\\]<>]+)|` +
      `(${name})\\\\*(?:%|&(?:#|\\w+;)|u00)[^]*`,
    'g',
  );
}
const MARKED_IN_TEXT = /* @__PURE__ */ textPattern(MARKED_FIELDS);
const MARKED_OR_VALUE_IN_TEXT = /* @__PURE__ */ textPattern(MARKED_FIELDS, ENV_VALUES);

/** Masks marked fields in a string of a record or in an address: it may hold a record of its own, as JSON or in words. */
export function maskInside(text: string): string {
  return /^\s*[[{]/.test(text) ? redactText(text) : maskWords(text);
}

/** Masks marked fields in words; the values of variables where it is about one with `isEnv`. */
function maskWords(text: string): string {
  return maskBy(text.includes('isEnv') ? MARKED_OR_VALUE_IN_TEXT : MARKED_IN_TEXT, text);
}

/**
 * Masks marked fields in text: as JSON where it is JSON, by pattern where it is not (truncated, a form, a log).
 * In text that cannot be parsed, every `value` and `defaultValue` is masked, since nothing tells whether `isEnv` holds.
 */
export function redactText(text: string): string {
  const parsed = mayHoldRecord(text) ? parseJson(text) : undefined;
  return parsed === undefined ? maskBy(MARKED_OR_VALUE_IN_TEXT, text) : JSON.stringify(redact(parsed));
}

/** Tells whether a text may be JSON in which anything is masked. To ask costs less than to parse, and the rest stays as written. */
function mayHoldRecord(text: string): boolean {
  // `\u`, because a name may be written by the numbers of its letters.
  return (
    /^\s*[[{]/.test(text) && [...MARKED_FIELDS, ...ENV_VALUES, '\\u'].some((part) => text.includes(part))
  );
}

function maskBy(pattern: RegExp, text: string): string {
  // Some engines give up on a value of many megabytes.
  return readable(() => text.replace(pattern, `$1$3${MASK}`));
}

/** Takes known secrets out of a text, wherever a service or a proxy has echoed them, as they are or encoded. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return withoutForms(text, formsOf(secrets));
}

/** {@link withoutSecrets} for many texts: `forms` are found once, by {@link formsOf}. */
export function withoutForms(text: string, forms: readonly string[]): string {
  return forms.reduce((left, form) => (left.length < form.length ? left : left.replaceAll(form, MASK)), text);
}

/** All that secrets look like where they are echoed. The longest first: what holds another is masked whole. */
export function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((secret) => {
    const texts = secret.length > MAX_NESTED ? [secret] : encoded([secret]);
    return [...encoded(texts), ...inBase64(secret)];
  });
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

/** Longer texts, of which each form takes its time, are not looked for as JSON in JSON, and so on. */
const MAX_NESTED = 10_000;

/** Texts, and what becomes of each where it stands inside of another: in JSON, an address, a form. */
function encoded(texts: Iterable<string>): ReadonlySet<string> {
  const forms = Array.from(texts, (text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    // JSON of PHP
    text.replaceAll('/', '\\/'),
    // Half of a surrogate pair cannot be encoded.
    encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')),
    new URLSearchParams([['', text]]).toString().slice(1),
    text.replace(/%../g, (code) => code.toLowerCase()),
  ]);
  return new Set(forms.flat());
}

/** A text in Base64, at each of the three places at which it may begin; without what depends on its neighbours. */
function inBase64(text: string): string[] {
  // Not by a spread: a header may be longer than the arguments of a call.
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return [0, 2, 3].flatMap((start, before) => {
    const encoded = btoa('\0'.repeat(before) + bytes);
    const form = encoded.slice(start).replace(/.=+$/, '');
    return form.length < 8 ? [] : [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

export function isSensitiveHeader(name: string): boolean {
  return sensitiveHeader.test(name);
}

/**
 * Headers as a plain object. Masked: those whose names speak of credentials, and what repeats a known secret, in one of its
 * `forms`.
 */
export function redactHeaders(headers: Headers, forms: readonly string[] = []): Record<string, string> {
  const result: Record<string, string> = {};
  headers.forEach((value, name) => {
    // Not as JSON, which when written anew may hold what no header can.
    result[name] = isSensitiveHeader(name) ? MASK : withoutForms(maskWords(value), forms);
  });
  return result;
}
