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
const sensitiveHeader = /authorization|cookie|secret|token|password|key|credential|signature/i;

/**
 * A deep copy with the marked fields masked: `dashboardPassword`, `magicCode`, `usedSecret`, `FB_PUSH_TOKEN`,
 * `serverUrlSecret`, `workspaceSecret`, `sessionKey`, `listenUrl`, and `value` and `defaultValue` of a variable with
 * `isEnv`. For logs: what the SDK itself logs and puts into errors has been through it.
 *
 * Copies what JSON can hold, and keeps other objects as they are described by `String`; cycles are cut.
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
  return copyObject(value, within);
}

/** Deeper than any record of the document; a hostile body must not overflow the stack of a log line. */
const MAX_DEPTH = 64;

function copyObject(value: object, within: readonly object[]): Record<string, unknown> {
  const isEnv = (value as { isEnv?: unknown }).isEnv === true;
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

/** A name, then a value: quoted (closed or cut off), a structure (up to the end of the text), or bare. */
// Takes lists, because no bundler drops a call whose argument is a spread.
const textPattern = (...names: readonly (readonly string[])[]): RegExp =>
  new RegExp(
    `((?:${names.flat().join('|')})\\\\*["']?\\s*[:=]\\s*)` +
      `(\\\\*"(?:[^"\\\\]|\\\\.)*"?|\\\\*'[^']*'?|[[{][\\s\\S]*|[^\\s,;&}\\]<>]+)`,
    'g',
  );
const MARKED_IN_TEXT = /* @__PURE__ */ textPattern(MARKED_FIELDS);
const MARKED_OR_VALUE_IN_TEXT = /* @__PURE__ */ textPattern(MARKED_FIELDS, ENV_VALUES);

/** A string may hold a record of its own, as JSON or in words. */
function maskInside(text: string): string {
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

/** Takes known secrets out of a text, wherever a service or a proxy has echoed them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.split(secret).join(MASK)), text);
}

export function isSensitiveHeader(name: string): boolean {
  return sensitiveHeader.test(name);
}

/** Headers as a plain object. Masked: those whose names speak of credentials, and any that repeats a known secret. */
export function redactHeaders(headers: Headers, secrets: readonly string[] = []): Record<string, string> {
  const result: Record<string, string> = {};
  headers.forEach((value, name) => {
    result[name] = isSensitiveHeader(name) ? MASK : withoutSecrets(value, secrets);
  });
  return result;
}
