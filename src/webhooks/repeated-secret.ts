import { isLong, MASK } from '../ground/echoes.js';
import { isObject } from '../ground/json.js';

// A sender may repeat its secret: in the type, in a field of a payload or of the envelope, in the name of one. It is masked
// wherever it stands, so that neither a handler nor an inbox gets it.

/** Characters that JSON writes as they are, or by a number. */
const PLAIN = /^[ !#-.0-[\]-~]*$/;

/**
 * A payload without the secret that was taken out of it, masked where it is repeated. `pieces` are the text of the whole body, cut
 * where the secret stands, if there is a text.
 */
export function withoutRepeated<Payload extends object>(
  payload: Payload,
  secret: string,
  pieces: readonly string[] | undefined,
): Payload {
  // A short one is not looked for: `test` would be found in what people write.
  const mayBeRepeated = isLong(secret) && (pieces === undefined || mayStandTwice(pieces, secret));
  return mayBeRepeated && holds(payload, secret) ? maskRepeated(payload, secret) : payload;
}

/** To look at the text takes much less time than to look at each value of it, and a secret is hardly ever repeated. */
function mayStandTwice(pieces: readonly string[], secret: string): boolean {
  // `\u0073` is `s`.
  return !PLAIN.test(secret) || pieces.length !== 2 || pieces.some((text) => text.includes('\\u00'));
}

/** Deeper than what anyone sends; a hostile body must not overflow the stack. */
const MAX_DEPTH = 64;

function holds(value: unknown, secret: string, depth = 0): boolean {
  if (typeof value === 'string') return value.includes(secret);
  if (typeof value !== 'object' || value === null) return false;
  // A value that is too deep to be looked at is copied.
  if (depth === MAX_DEPTH) return true;
  if (Array.isArray(value)) return value.some((element) => holds(element, secret, depth + 1));
  return Object.entries(value).some(
    ([name, field]) => name.includes(secret) || holds(field, secret, depth + 1),
  );
}

/** Copies a value with a secret masked in its texts and names, however deep it is nested. */
export function maskRepeated<Value>(value: Value, secret: string): Value {
  const masked = (text: string) => text.replaceAll(secret, MASK);
  /** Each object, and its copy: no JSON holds itself, but what was given as a parsed body may. */
  const copies = new Map<object, object>();
  const copy = (one: unknown): unknown => {
    if (typeof one === 'string') return masked(one);
    // Dates and others, which no JSON holds, are passed on.
    if (!Array.isArray(one) && !(isObject(one) && isPlain(one))) return one;
    if (!copies.has(one)) copies.set(one, Array.isArray(one) ? [] : {});
    return copies.get(one);
  };
  const copied = copy(value);
  // A map also comes to what is added meanwhile.
  for (const [from, to] of copies) {
    for (const [name, field] of Object.entries(from)) {
      // Not by assigning: a field named `__proto__` would set the prototype of the copy.
      const property = { value: copy(field), enumerable: true, configurable: true, writable: true };
      Object.defineProperty(to, masked(name), property);
    }
  }
  // It has the fields of what was copied.
  return copied as Value;
}

function isPlain(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}
