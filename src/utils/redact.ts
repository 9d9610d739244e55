import { isError } from './thrown.js';

/** Replaces a value that must not be printed. */
export const MASK = '[redacted]';

/** What is masked by name in what the package prints. */
const SECRET_NAMES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  // The marked fields: secrets of records and events.
  'dashboardPassword',
  'magicCode',
  'usedSecret',
  'FB_PUSH_TOKEN',
  'serverUrlSecret',
  'workspaceSecret',
  'sessionKey',
  'listenUrl',
  // Headers that carry credentials.
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
]);

/** The depth of a value that is printed: far more than any record has, far less than ends a stack. */
const MAX_DEPTH = 100;

/**
 * Returns a deep copy of a value for logs, with secrets replaced by `'[redacted]'`, by the names of fields.
 *
 * These are the marked fields (`dashboardPassword`, `magicCode`, `usedSecret`, `FB_PUSH_TOKEN`,
 * `serverUrlSecret`, `workspaceSecret`, `sessionKey`, `listenUrl`), `value` and `defaultValue` of a variable
 * with `isEnv`, and the headers that carry credentials (`authorization`, `proxy-authorization`, `cookie`,
 * `set-cookie`, `x-api-key`). An object with a `toJSON` becomes what that returns, and an object inside
 * itself `'[circular]'`, and one more than 100 levels deep `'[nested too deeply]'`. Texts are not searched.
 *
 * @example
 * ```ts
 * import { redact } from 'agent-platform-sdk';
 *
 * // { name: 'crm', serverUrlSecret: '[redacted]' }
 * console.log(redact({ name: 'crm', serverUrlSecret: 's3cret' }));
 * ```
 */
export function redact(value: unknown): unknown {
  return redactWithin(value, new Set());
}

/** @param parents - The objects that the value is inside of, the outermost first. */
function redactWithin(value: unknown, parents: Set<unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (parents.has(value)) return '[circular]';
  if (parents.size === MAX_DEPTH) return '[nested too deeply]';
  parents.add(value);
  const copy = redactObject(value, parents);
  parents.delete(value);
  return copy;
}

function redactObject(value: object, parents: Set<unknown>): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return redactWithin(toJSON.call(value), parents);
  if (isError(value)) return String(value);
  if (Array.isArray(value)) return value.map((item) => redactWithin(item, parents));
  // Any truthy value counts: one of a wrong type must not expose a secret.
  const isEnv = 'isEnv' in value && Boolean(value.isEnv);
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
    const isSecret = SECRET_NAMES.has(name) || SECRET_NAMES.has(name.toLowerCase());
    const isEnvValue = isEnv && (name === 'value' || name === 'defaultValue');
    return [name, field !== undefined && (isSecret || isEnvValue) ? MASK : redactWithin(field, parents)];
  });
  // Not by assigning: a field named `__proto__` would set the prototype of the copy.
  return Object.fromEntries(fields);
}
