/** Stands in place of a value that must not be seen. */
export const MASK = '[redacted]';

/** Shorter secrets are words of everyday text: they are masked where they stand as a word. */
const MIN_LENGTH = 8;

export const isLong = (text: string): boolean => text.length >= MIN_LENGTH;

/** Takes known secrets out of a text, wherever a service or a proxy has echoed them, as they are or encoded. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return withoutForms(text, formsOf(secrets));
}

/** So many encodings, one in the other, are looked into: JSON in JSON in a form in an address. */
const MAX_NESTED = 4;

/**
 * {@link withoutSecrets} for many texts: `forms` are found once, by {@link formsOf}. Where the text shows no secret, but does
 * when its escapes are read, it becomes what was read. So a secret is found whichever of its characters were escaped, and the
 * work grows with the text, not with the ways to write a secret. Of a text that was cut, the piece of a secret at its end is
 * masked too.
 */
export function withoutForms(
  text: string,
  forms: readonly string[],
  isCut = false,
  nested = MAX_NESTED,
): string {
  let left = maskSpans(text, spansOfForms(text, forms));
  if (isCut) left = withoutPiece(left, forms);
  if (nested === 0 || forms.length === 0) return left;
  // Half an escape would be read as something else, and hide the piece before it.
  const whole = isCut ? left.replace(HALF_ESCAPE, '') : left;
  const read = whole.replace(ESCAPE, unescaped);
  if (read === whole) return left;
  const clean = withoutForms(read, forms, isCut, nested - 1);
  return clean === read ? left : clean;
}

/** The beginning of a part of a text, and its end. */
export type Span = readonly [start: number, end: number];

/** The places at which a text shows known secrets as they are. */
export function spansOfForms(text: string, forms: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
      if (isLong(form) || isWord(form, at, text)) spans.push([at, at + form.length]);
    }
  }
  return spans;
}

/** Masks parts of a text; those that overlap as one. */
export function maskSpans(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const [start, stop] of [...spans].sort(([one], [other]) => one - other)) {
    if (start >= end) parts.push(text.slice(end, start), MASK);
    end = Math.max(end, stop);
  }
  return parts.join('') + text.slice(end);
}

function isWord(part: string, at: number, text: string): boolean {
  const neighbours = text.charAt(at - 1) + text.charAt(at + part.length);
  return !/[\p{L}\p{N}_]/u.test(neighbours);
}

/** Masks what is left of a secret at the end of a text that was cut there: perhaps within a character, or within an escape. */
function withoutPiece(text: string, forms: readonly string[]): string {
  // A character has up to four escapes, and one more may be cut.
  for (const tail of [/\ufffd?$/, /([%\\&][^%\\&]{0,9}){1,4}$/]) {
    const whole = text.replace(tail, '');
    for (const form of forms) {
      for (let length = Math.min(form.length - 1, whole.length); length >= MIN_LENGTH; length -= 1) {
        if (whole.endsWith(form.slice(0, length))) return whole.slice(0, -length) + MASK;
      }
    }
  }
  return text;
}

/**
 * One escape: bytes of an address or a log (`%2B`, `\x2B`), a character of JSON or a program (`\u002B`, `\/`) or of HTML
 * (`&#x2B;`, `&#43;`, `&plus;`); or a line break in Base64.
 */
const ESCAPE =
  /(?:(?:%|\\x)[\da-f]{2})+|\\(?:u[\da-f]{4}|[\s\S])|&#(?:0*\d{1,6}|x0*[\da-f]{1,5});?|&[a-z]{2,6};|\r?\n(?<=[\w+/]{16}\r?\n)[ \t]*/gi;

/** What is left of an escape at the end of a text that was cut there. */
const HALF_ESCAPE = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|&(?:#x?[\da-f]{0,8}|[a-z]{0,8}))$/i;

const NAMED: Readonly<Record<string, string>> = {
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&sol;': '/',
  '&plus;': '+',
  '&equals;': '=',
  '&lowbar;': '_',
  '&period;': '.',
  '&colon;': ':',
  '&comma;': ',',
  '&semi;': ';',
  '&commat;': '@',
  '&num;': '#',
  '&dollar;': '$',
  '&percnt;': '%',
  '&excl;': '!',
  '&quest;': '?',
  '&ast;': '*',
  '&lpar;': '(',
  '&rpar;': ')',
};

function unescaped(written: string): string {
  const known = NAMED[written.startsWith('&') ? written.toLowerCase() : written];
  if (known !== undefined) return known;
  if (/^&\w/.test(written)) return written;
  const number = /^(?:&#|\\(?=u.))([ux]?)([\da-f]+)/i.exec(written);
  if (number !== null) return String.fromCodePoint(Number.parseInt(number[2] ?? '', number[1] ? 16 : 10));
  if (written.length === 2) return written.slice(1);
  const bytes = written.match(/[\da-f]{2}/gi) ?? [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}

/**
 * All that is to be looked for: the secrets, as they are and in Base64; and those again as a form writes their blanks, and with
 * what looks like an escape in them read. The longest first: what holds another is masked whole.
 */
export function formsOf(secrets: readonly string[]): string[] {
  const forms = new Set(
    secrets.flatMap((secret) => [secret, secret.replaceAll(' ', '+'), ...inBase64(secret)]),
  );
  forms.delete('');
  let latest: readonly string[] = [...forms];
  // As often as a text is read: one that is encoded over and over would have no end of forms.
  for (let round = 0; round < MAX_NESTED; round += 1) {
    latest = latest
      .map((form) => form.replace(ESCAPE, unescaped))
      .filter((read) => isLong(read) && !forms.has(read));
    for (const read of latest) forms.add(read);
  }
  return [...forms].sort((one, other) => other.length - one.length);
}

/** A text in Base64, at each of the three places at which it may begin; without what depends on its neighbours. */
function inBase64(text: string): string[] {
  // Not by a spread: a header may be longer than the arguments of a call.
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return [0, 2, 3].flatMap((start, before) => {
    const encoded = btoa('\0'.repeat(before) + bytes);
    const form = encoded.slice(start).replace(/.=+$/, '');
    return isLong(form) ? [form, form.replaceAll('+', '-').replaceAll('/', '_')] : [];
  });
}
