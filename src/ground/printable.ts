/** Characters that a terminal or an editor would obey: control characters, line separators, and those that turn the direction of a text. */
const OBEYED = /[^\P{Cc}\n]|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Writes such characters of a message or a log line by their numbers. Its lines are kept, as those of the package's own words. */
export function printable(text: string): string {
  return text.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** {@link printable}, for words that are not the package's own: a line break in them would begin a line that nobody wrote. */
export function onOneLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n');
}
