import {
  formsOf,
  isSensitiveHeader,
  MASK,
  masked,
  maskInside,
  redactHeaders,
  redactText,
  withoutForms,
} from '../../ground/redact.js';

/** Most bytes of a body that an error keeps: 16 KiB. */
export const MAX_RAW_BODY = 16 * 1024;
/** Most characters of the service's own message that an error repeats. */
const MAX_MESSAGE = 1_000;
/** Shorter ones are words of everyday text, and masking them would garble a message. */
const MIN_SECRET_LENGTH = 8;
/** More marked values than anyone sends: to look for each of a million would take hours. */
const MAX_SENT_VALUES = 100;

/** Secrets of one attempt: what it was sent with, or is about to be. */
interface AttemptSecrets {
  readonly tokens: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Values of marked fields in the body. */
  readonly sentValues: readonly string[];
}

/**
 * Masks what an error, a hook or a log line must not show: marked fields by their names, and the secrets of an attempt
 * wherever a service or a proxy echoes them, as they are or encoded.
 */
export class Masker {
  /** The secrets in each way of writing them. */
  readonly #forms: readonly string[];

  constructor(secrets: AttemptSecrets) {
    this.#forms = formsOfSecrets(secrets);
  }

  /** Masks a text: JSON by the names of its fields, anything else by pattern. */
  text(text: string): string {
    return withoutForms(redactText(text), this.#forms);
  }

  /** Copies a value, masked at any depth. */
  value(value: unknown): unknown {
    return masked(value, this.#forms);
  }

  /** Copies headers into a plain object; those that carry credentials are masked whole. */
  headers(headers: Headers): Record<string, string> {
    return redactHeaders(headers, this.#forms);
  }

  /** Masks a path or an address: a token may have been given for an id. */
  path(path: string): string {
    return withoutForms(maskInside(path), this.#forms);
  }

  /** Masks a body and cuts it to {@link MAX_RAW_BODY} bytes. */
  body(text: string): string {
    // Masked before it is cut: a cut through a secret would leave a piece that no longer looks like one.
    const bytes = new TextEncoder().encode(this.#withoutPiece(this.text(text))).subarray(0, MAX_RAW_BODY);
    // `stream` drops a character that the cut has split, instead of replacing it.
    return new TextDecoder().decode(bytes, { stream: true });
  }

  /** Repeats the service's own words in a message: masked, on one line, without colours, and short. */
  quote(text: string): string {
    return this.text(text)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, MAX_MESSAGE);
  }

  /** Masks what is left of a secret at the end of a text that was cut there. */
  #withoutPiece(text: string): string {
    // Without what is left of a character that was cut.
    const whole = text.replace(/\ufffd$/, '');
    for (const form of this.#forms) {
      for (let length = form.length - 1; length >= MIN_SECRET_LENGTH; length -= 1) {
        if (whole.endsWith(form.slice(0, length))) return whole.slice(0, -length) + MASK;
      }
    }
    return text;
  }
}

function formsOfSecrets({ tokens, headers, sentValues }: AttemptSecrets): readonly string[] {
  const secrets = tokens.flatMap((token) => [`Bearer ${token}`, token]);
  for (const name of Object.keys(headers).filter(isSensitiveHeader)) {
    const value = headers[name] ?? '';
    // Whole and in parts: `Basic …`, `session=…`.
    secrets.push(value, ...value.split(/[\s;,=]+/));
  }
  secrets.push(...sentValues.filter(isLong).slice(0, MAX_SENT_VALUES));
  const known = secrets.filter(isLong);
  const key = JSON.stringify(known);
  if (latest?.key !== key) latest = { key, forms: formsOf(known) };
  return latest.forms;
}

/** The last ones: where each call is logged, they are asked for with each call, and seldom change. */
let latest: { readonly key: string; readonly forms: readonly string[] } | undefined;

const isLong = (text: string): boolean => text.length >= MIN_SECRET_LENGTH;
