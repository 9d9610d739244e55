import { MASK, redactText, withoutForms } from '../../ground/redact.js';
import { MIN_SECRET_LENGTH } from './secrets.js';

/** How much of a body an error keeps: 16 KiB. */
export const MAX_RAW_BODY = 16 * 1024;
/** How much of the service's own message an error repeats. */
const MAX_MESSAGE = 1_000;

/** A body for an error or a log line: marked fields and known secrets masked, whole or cut, at most {@link MAX_RAW_BODY} bytes. */
export function excerpt(text: string, secrets: readonly string[]): string {
  // Masked before it is cut: a cut through a secret would leave a piece that no longer looks like one.
  const masked = withoutPiece(hide(text, secrets), secrets);
  const bytes = new TextEncoder().encode(masked).subarray(0, MAX_RAW_BODY);
  // `stream` drops a character that the cut has split, instead of replacing it.
  return new TextDecoder().decode(bytes, { stream: true });
}

/** Masks marked fields and known secrets in a text. */
export function hide(text: string, secrets: readonly string[]): string {
  return withoutForms(redactText(text), secrets);
}

/** Masks what is left of a secret at the end of a text that was cut there. */
function withoutPiece(text: string, secrets: readonly string[]): string {
  // Without what is left of a character that was cut.
  const whole = text.replace(/\ufffd$/, '');
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= MIN_SECRET_LENGTH; length -= 1) {
      if (whole.endsWith(secret.slice(0, length))) return whole.slice(0, -length) + MASK;
    }
  }
  return text;
}

/** The service's own words, for a message: masked, on one line, without colours, and short. */
export function quote(text: string, secrets: readonly string[]): string {
  return hide(text, secrets)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_MESSAGE);
}

/** Names what came instead of the document's body. */
export function describeBody(text: string): string {
  const start = text.trimStart().slice(0, 20);
  if (start === '') return 'an empty body';
  if (/^<(!doctype )?html/i.test(start)) return 'an HTML page';
  return /^[[{]/.test(start) ? 'broken or unexpected JSON' : 'text that is not JSON';
}
