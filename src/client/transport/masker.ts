import { formsOf, isLong, withoutForms } from '../../ground/echoes.js';
import type { Issue } from '../../ground/issues.js';
import {
  hiddenTexts,
  isSensitiveHeader,
  masked,
  maskInside,
  redactHeaders,
  redactText,
} from '../../ground/redact.js';
import type { CallSettings } from '../settings.js';

/** Most bytes of a body that an error keeps: 16 KiB. */
export const MAX_RAW_BODY = 16 * 1024;
/** Most characters of the service's own message that an error repeats. */
const MAX_MESSAGE = 1_000;
/** Shorter values are masked nowhere: they would garble a message, and are no secrets. */
const MIN_VALUE_LENGTH = 4;
/** More marked values than a record has: to look for each of a million would take hours. */
const MAX_VALUES = 100;

/** A token, or the headers of an attempt, of which some may carry credentials. */
export type Credentials = string | Readonly<Record<string, string>>;

/** The credentials that a call is given. A call that sends no token may have put the client's elsewhere. */
export function credentialsOf({ headers, token }: CallSettings): Credentials[] {
  return typeof token === 'string' ? [headers, token] : [headers];
}

/** Secrets of a call: what its attempts were sent with, or are about to be. */
interface CallSecrets {
  readonly credentials: Iterable<Credentials>;
  /** What was sent, and may hold marked fields. */
  readonly sent: unknown;
  /** Texts of marked fields that were read. */
  readonly received: readonly string[];
}

/**
 * Masks what an error, a hook or a log line must not show: marked fields by their names, and the secrets of an attempt
 * wherever a service or a proxy echoes them, as they are or encoded.
 */
export class Masker {
  /** The secrets in each way of writing them. */
  readonly #forms: readonly string[];

  constructor(secrets: CallSecrets) {
    this.#forms = formsOfSecrets(secrets);
  }

  /** Masks a text: JSON by the names of its fields, anything else by pattern. */
  text(text: string): string {
    return withoutForms(redactText(text, this.#forms), this.#forms);
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
    return withoutForms(maskInside(path, this.#forms), this.#forms);
  }

  /** Copies issues, masked. The name of an unknown field, and the words of a user's own schema, may hold anything. */
  issues(issues: readonly Issue[]): Issue[] {
    return issues.map(({ path, code, message }) => ({
      // A name that is too long was cut.
      path: path.map((key) =>
        typeof key === 'string' ? withoutForms(this.path(key), this.#forms, true) : key,
      ),
      code,
      message: this.path(message),
    }));
  }

  /** Masks a body and cuts it to {@link MAX_RAW_BODY} bytes. */
  body(text: string): string {
    const bytes = new TextEncoder().encode(this.#start(text, MAX_RAW_BODY)).subarray(0, MAX_RAW_BODY);
    // `stream` drops a character that the cut has split, instead of replacing it.
    return new TextDecoder().decode(bytes, { stream: true });
  }

  /** Repeats the service's own words in a message: masked, on one line, without colours, and short. */
  quote(text: string): string {
    return this.#start(text, MAX_MESSAGE)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, MAX_MESSAGE);
  }

  /** Masks the beginning of a text of which `shown` characters are shown. The text may have been cut before. */
  #start(text: string, shown: number): string {
    // More than is shown, so that a piece of a secret that is too short to be told lies beyond.
    return withoutForms(redactText(text.slice(0, shown * 4), this.#forms), this.#forms, true);
  }
}

/** A token; or the parts of headers that carry credentials: whole, and `Bearer …`, `session=…` without what stands before. */
function secretsOf(credentials: Credentials): string[] {
  if (typeof credentials === 'string') return [credentials];
  const values = Object.entries(credentials).flatMap(([name, value]) =>
    isSensitiveHeader(name) ? value : [],
  );
  return values.flatMap((value) => [value, ...value.split(/[\s;,=]+/)]).filter(isLong);
}

function formsOfSecrets({ credentials, sent, received }: CallSecrets): readonly string[] {
  // Without a bound, they are always told.
  const values = [...(hiddenTexts(sent) ?? []), ...received].filter(
    (text) => text.length >= MIN_VALUE_LENGTH && !isWordOfJson(text),
  );
  const secrets = new Set([...credentials].flatMap(secretsOf));
  const known = [...secrets, ...values.slice(0, MAX_VALUES)];
  const key = JSON.stringify(known);
  if (latest?.key !== key) latest = { key, forms: formsOf(known) };
  return latest.forms;
}

/** As a text: such a value is no secret, and every answer holds the word. */
const isWordOfJson = (text: string): boolean => ['true', 'false', 'null'].includes(text);

/** The last ones: where each call is logged, they are asked for with each call, and seldom change. */
let latest: { readonly key: string; readonly forms: readonly string[] } | undefined;
