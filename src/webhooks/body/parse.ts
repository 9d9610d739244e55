import { parseJson } from '../../utils/json.js';
import { Rejection } from '../outcomes.js';

/** So many lists and objects can be nested in each other without a second look. */
const SHALLOW = 2_000;

/** A number that is too large for JavaScript. It would be `Infinity`, and null once an inbox has stored it. */
const TOO_LARGE = /[[,:]\s*-?\d(?:\d{308}|[\d.]*[eE]\+?\d{3})/;

/**
 * Parses the text of a body. Returns undefined if it is not JSON. A number that is too large is null.
 *
 * @throws {Rejection} It is nested too deeply to be written again, as an inbox does. RFC 8259 (9) allows a limit.
 */
export function parseBody(text: string): unknown {
  const value = TOO_LARGE.test(text) ? parseJson(text, nullIfInfinite) : parseJson(text);
  const count = (bracket: string) => text.split(bracket, SHALLOW + 1).length;
  if (value === undefined || count('[') + count('{') < SHALLOW) return value;
  try {
    JSON.stringify(value);
  } catch {
    throw new Rejection('not_json', undefined, 'It is nested too deeply.');
  }
  return value;
}

function nullIfInfinite(_key: string, value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? null : value;
}
