/** JSON may write each letter by its number: `\u0077` is `w`. */
const SECRET_KEY = /* @__PURE__ */ keyPattern('workspaceSecret');

function keyPattern(name: string): RegExp {
  const letters = Array.from(name, (letter) => {
    const digits = letter.charCodeAt(0).toString(16).padStart(4, '0');
    return `(?:${letter}|\\\\u${digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
  return new RegExp(`"${letters.join('')}"`, 'g');
}

/** The values that are presented, one after the other. */
export interface Presented extends IterableIterator<string> {
  /** Ends the search, and lets go of the text. */
  return(): IteratorReturnResult<undefined>;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The values that a text of JSON gives to `workspaceSecret`, wherever it stands. Reads the text once, and builds nothing of
 * it: whoever does not know a secret can have it read, but not parsed. Of text that is no JSON, what looks like a value is given.
 */
export function presentedIn(searched: string): Presented {
  // No generator, which would hold the text for as long as a look-up holds it.
  let text = searched;
  let at = 0;
  // To search for a text takes a fifth of the time; the pattern knows a key that is written by the numbers of its letters.
  const findKey = text.includes('\\u00') ? behindPattern : behindKey;
  return {
    next() {
      for (at = findKey(text, at); at > 0; at = findKey(text, at)) {
        const colon = skipSpace(text, at);
        const start = skipSpace(text, colon + 1);
        // The search goes on behind the key, not behind the value: it might have begun inside of a text.
        if (text[colon] !== ':' || text[start] !== '"') continue;
        const value = readText(text, start);
        // What is no JSON here is none as a whole, and has nothing more to say.
        if (value === undefined) break;
        return { value };
      }
      return this.return();
    },
    return() {
      text = '';
      return END;
    },
    [Symbol.iterator]() {
      return this;
    },
  };
}

/** Copies a short part of a text: an engine would keep the whole for its sake. */
export function detached(part: string): string {
  return part.split('').join('');
}

const KEY = '"workspaceSecret"';

/** The part of it that is searched for: an engine finds a text that begins with a quotation mark, as every word of JSON, ten times as slowly. */
const KEY_END = 'Secret"';

/** The end of the next key, or nothing: 0. */
function behindKey(text: string, from: number): number {
  for (let at = text.indexOf(KEY_END, from); at >= 0; at = text.indexOf(KEY_END, at + 1)) {
    const end = at + KEY_END.length;
    if (text.startsWith(KEY, end - KEY.length)) return end;
  }
  return 0;
}

function behindPattern(text: string, from: number): number {
  SECRET_KEY.lastIndex = from;
  return SECRET_KEY.test(text) ? SECRET_KEY.lastIndex : 0;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Space, tab, line feed, carriage return: all that JSON allows. */
function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

/** The text that begins with the quotation mark at `start`; undefined where it does not end or is no JSON. */
function readText(text: string, start: number): string | undefined {
  let isPlain = true;
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return isPlain ? text.slice(start + 1, at) : unescaped(text.slice(start, at + 1));
    if (unit === 0x5c) {
      isPlain = false;
      at += 1;
    }
  }
  return undefined;
}

function unescaped(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}
