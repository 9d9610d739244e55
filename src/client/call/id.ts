import { typeName } from '../../utils/issues.js';

/** What JavaScript makes of a missing value, and so never an id. */
const MISSING: readonly string[] = ['undefined', 'null', 'NaN', '[object Object]'];

/**
 * Describes what is wrong with an id: a non-empty text, or a safe integer, because chat ids arrive as numbers.
 * Encoded, it is one segment of the path, except for dots.
 *
 * @param reserved - The values that would address another operation.
 */
export function idProblem(id: unknown, reserved: readonly string[] = []): string | undefined {
  if (Number.isSafeInteger(id)) return undefined;
  const problem = typeof id === 'string' ? textProblem(id, reserved) : `${typeName(id)}${longHint(id)}`;
  return problem && `expected a non-empty string, received ${problem}`;
}

/** A number beyond 2^53 is rounded already. */
function longHint(id: unknown): string {
  return Number.isInteger(id) || typeof id === 'bigint'
    ? ': keep a long id as text, or pass String(id) of a bigint'
    : '';
}

function textProblem(id: string, reserved: readonly string[]): string | undefined {
  const plain = id.trim();
  if (plain === '') return id === '' ? 'an empty string' : 'a blank string';
  if (MISSING.includes(plain)) return `'${plain}', which is a missing value as text`;
  const isOther = ['.', '..', ...reserved].some((one) => one.toLowerCase() === plain.toLowerCase());
  if (isOther) return `'${plain}', the path of another operation`;
  if (plain !== id) return 'blanks at its start or end';
  // Cut text leaves half of an emoji (mailgun-js#63).
  return /\p{Surrogate}/u.test(id) ? 'half a character (a lone surrogate)' : undefined;
}
