import type { Issue } from '../../ground/issues.js';

/** Most fields of an answer that have numbers for names. The specification has none. */
const MAX_NUMBERED = 10_000;

/** `"0":1,` */
const SHORTEST_FIELD = 6;

/**
 * The last digit of a name. So much white space that its end is not looked for counts too: nobody sends it, and to pass over it
 * takes longer than to parse it.
 */
const LAST_DIGIT = /\d"(?:\s{0,8}:|\s{9})/g;

/** An engine keeps longer ones as texts, like all other names. */
const MAX_DIGITS = 10;

/** Digits of which some are escaped. */
const ESCAPED_NUMBER = /^(?:\d|\\u003\d){1,10}$/;

/**
 * Tells whether the text of an answer has so many fields with numbers for names that it is not checked. An engine keeps such names
 * as numbers. It parses a million in no time, and to list them takes two to four times as long: the check would block the event loop.
 */
export function hasTooManyNumbered(text: string): boolean {
  if (text.length < MAX_NUMBERED * SHORTEST_FIELD) return false;
  let count = 0;
  for (const { index } of text.matchAll(LAST_DIGIT)) {
    if (isNumber(text, index)) count += 1;
    if (count > MAX_NUMBERED) return true;
  }
  return false;
}

function isNumber(text: string, last: number): boolean {
  let before = last;
  while (isDigit(text.charCodeAt(before)) && before > last - MAX_DIGITS) before -= 1;
  if (text[before] === '"') return true;
  return text[before] === 'u' && ESCAPED_NUMBER.test(text.slice(text.lastIndexOf('"', before) + 1, last + 1));
}

const isDigit = (code: number): boolean => code >= DIGIT_0 && code <= DIGIT_9;
const DIGIT_0 = 48;
const DIGIT_9 = 57;

export const tooManyNumberedIssue: Issue = {
  path: [],
  code: 'too_many_fields',
  message: `expected at most ${MAX_NUMBERED} fields with numbers for names; nothing else was checked`,
};
