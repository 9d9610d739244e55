import type { Issue } from '../../ground/issues.js';

/** Most fields of an answer that have numbers for names. The specification has none. */
const MAX_NUMBERED = 10_000;

/** `"0":1,` */
const SHORTEST_FIELD = 6;

/**
 * The end of a name, with its last digit. More white space before the colon is not looked for: to pass over it takes longer than to parse
 * it.
 */
const NUMBER_END = /["\d]\d"\s{0,16}:/g;

/** An engine keeps longer ones as texts, like all other names. */
const MAX_DIGITS = 10;

/** In `\u0031`, that are none of the name. */
const DIGITS_OF_ESCAPE = 4;

/** Digits of which some are escaped. */
const ESCAPED_NUMBER = /^(?:\d|\\u003\d){1,10}$/;

/**
 * Tells whether the text of an answer has so many fields with numbers for names that it is not checked. An engine keeps such names
 * as numbers. It parses a million in no time, and to list them takes two to four times as long: the check would block the event loop.
 */
export function hasTooManyNumbered(text: string): boolean {
  if (text.length < MAX_NUMBERED * SHORTEST_FIELD) return false;
  let count = 0;
  for (const { index } of text.matchAll(NUMBER_END)) {
    if (isNumber(text, index + 1)) count += 1;
    if (count > MAX_NUMBERED) return true;
  }
  return false;
}

/** Tells whether the name whose last character stands at a place is a number. */
function isNumber(text: string, last: number): boolean {
  let before = last;
  while (isDigit(text.charCodeAt(before)) && last - before < MAX_DIGITS + DIGITS_OF_ESCAPE) before -= 1;
  if (text[before] === '"') return last - before <= MAX_DIGITS && text[before - 1] !== '\\';
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
