import { parseJson } from './json.js';

/** What stands in place of a value that must not be seen. */
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

/** Whether a field of this name may hold a secret: a marked one, or a value of a variable. */
export function isMarked(name: unknown): boolean {
  return marked.has(name as string) || ENV_VALUES.includes(name as string);
}

/**
 * A deep copy with the marked fields masked: `dashboardPassword`, `magicCode`, `usedSecret`, `FB_PUSH_TOKEN`,
 * `serverUrlSecret`, `workspaceSecret`, `sessionKey`, `listenUrl`, and `value` and `defaultValue` of a variable with
 * `isEnv`. For logs: what the SDK itself logs and puts into errors has been through it.
 *
 * Copies what JSON can hold, and dates; other objects, such as an error, become their `String`. Cycles are cut.
 *
 * @example
 * ```ts
 * import { redact } from 'agent-platform-sdk';
 *
 * console.log(redact({ name: 'crm', serverUrlSecret: 's3cret' })); // { name: 'crm', serverUrlSecret: '[redacted]' }
 * ```
 */
export function redact(value: unknown): unknown {
  return copy(value, []);
}

function copy(value: unknown, ancestors: readonly object[]): unknown {
  if (typeof value === 'string') return maskInside(value);
  if (typeof value !== 'object' || value === null) return value;
  if (ancestors.includes(value) || ancestors.length >= MAX_DEPTH) return '[…]';
  const within = [...ancestors, value];
  if (Array.isArray(value)) return value.map((element) => copy(element, within));
  if (value instanceof Date) return value;
  // A map, an error, a URL: what it holds is not in its fields, and how it describes itself is what is wanted.
  // oxlint-disable-next-line typescript/no-base-to-string
  if (Object.prototype.toString.call(value) !== '[object Object]') return maskInside(String(value));
  return copyObject(value, within);
}

/** Deeper than any record of the document; a hostile body must not overflow the stack of a log line. */
const MAX_DEPTH = 64;

function copyObject(value: object, within: readonly object[]): Record<string, unknown> {
  // Anything but a plain no: an `isEnv` of a wrong type must not lay a secret open.
  const isEnv = Boolean((value as { isEnv?: unknown }).isEnv);
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const hidden = field !== undefined && (marked.has(key) || (isEnv && ENV_VALUES.includes(key)));
    // defineProperty, because assigning a field named `__proto__` would set the prototype of the copy.
    Object.defineProperty(result, key, {
      value: hidden ? MASK : copy(field, within),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

/** A name, in brackets or a tag too, then a value: quoted (closed or cut off), a structure (up to the end), or bare. */
// Takes lists, because no bundler drops a call whose argument is a spread.
const textPattern = (...names: readonly (readonly string[])[]): RegExp =>
  new RegExp(
    // In an address or a form, `%22` and `%3A` are the quotation mark and the colon.
    `((?:${names.flat().join('|')})(?:\\\\|%5[Cc])*(?:["'\\]]|%22)?\\s*(?:[:=>]|%3[Aa])+\\s*)` +
      `(\\\\*"(?:[^"\\\\]|\\\\.)*"?|\\\\*'[^']*'?|[[{][\\s\\S]*|[^\\s,;&}\\]<>]+)`,
    'g',
  );
const MARKED_IN_TEXT = /* @__PURE__ */ textPattern(MARKED_FIELDS);
const MARKED_OR_VALUE_IN_TEXT = /* @__PURE__ */ textPattern(MARKED_FIELDS, ENV_VALUES);

/** Masks marked fields in a string of a record or in an address: it may hold a record of its own, as JSON or in words. */
export function maskInside(text: string): string {
  return /^\s*[[{]/.test(text) ? redactText(text) : text.replace(MARKED_IN_TEXT, `$1${MASK}`);
}

/**
 * Masks marked fields in text: as JSON where it is JSON, by pattern where it is not (truncated, a form, a log).
 * In text that cannot be parsed, every `value` and `defaultValue` is masked, since nothing tells whether `isEnv` holds.
 */
export function redactText(text: string): string {
  const parsed = parseJson(text);
  if (typeof parsed === 'object' && parsed !== null) return JSON.stringify(redact(parsed));
  return text.replace(MARKED_OR_VALUE_IN_TEXT, `$1${MASK}`);
}

/** Takes known secrets out of a text, wherever a service or a proxy has echoed them, as they are or encoded. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.flatMap(formsOf).reduce((left, form) => left.replaceAll(form, MASK), text);
}

function formsOf(secret: string): string[] {
  // Half of a surrogate pair cannot be encoded.
  const encodable = secret.replace(/\p{Surrogate}/gu, '');
  const inAddress = encodeURIComponent(encodable);
  const inLowerCase = inAddress.replace(/%../g, (code) => code.toLowerCase());
  const forms = [JSON.stringify(secret).slice(1, -1), secret, inAddress, inLowerCase, ...inBase64(encodable)];
  return forms.filter((form) => form !== '');
}

/** A text in Base64, at each of the three places at which it may begin; without what depends on its neighbours. */
function inBase64(text: string): string[] {
  // Not by a spread: a header may be longer than the arguments of a call.
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return [0, 1, 2].flatMap((before) => {
    const encoded = btoa('\0'.repeat(before) + bytes);
    const form = encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
    return form.length < 8 ? [] : [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

export function isSensitiveHeader(name: string): boolean {
  return sensitiveHeader.test(name);
}

/** Headers as a plain object. Masked: those whose names speak of credentials, and any that repeats a known secret. */
export function redactHeaders(headers: Headers, secrets: readonly string[] = []): Record<string, string> {
  const result: Record<string, string> = {};
  headers.forEach((value, name) => {
    result[name] = isSensitiveHeader(name) ? MASK : withoutSecrets(maskInside(value), secrets);
  });
  return result;
}
