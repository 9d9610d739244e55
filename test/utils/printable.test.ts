import { expect, test } from 'vitest';
import { onOneLine, printable } from '../../src/utils/printable.js';

test('characters that a terminal obeys are written by their numbers, line breaks stay', () => {
  expect(printable('a\u001b[31mb\u202ec\r\nd ü 中')).toBe('a\\u001b[31mb\\u202ec\\u000d\nd ü 中');
});

test('words from outside stay on one line', () => {
  expect(onOneLine('a\nb\u0007')).toBe('a\\nb\\u0007');
});
