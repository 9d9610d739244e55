/** Characters that a terminal or an editor would obey: control characters, and marks of text direction. */
const OBEYED = /[^\P{Cc}\n]|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces the control characters of a message or a log line by their numbers. Line breaks stay. */
export function printable(text: string): string {
  return text.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** {@link printable} for outside text: a line break in it could forge a log line. */
export function onOneLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n');
}
