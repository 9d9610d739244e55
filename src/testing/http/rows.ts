import { isObject, parseJson } from '../../utils/json.js';
import { onOneLine } from '../../utils/printable.js';
import type { Region } from '../../utils/regions.js';
import type { FakeRequest } from '../fake/log.js';
import type { DeliveryRecord, PostResult } from '../sending/post.js';

/** The mark of a delivery that is under way. */
export const SENDING = 'sending';

/** A request or a delivery, as the page and the command show it. */
export interface PageRow {
  readonly id: string;
  readonly at: number;
  /** Undefined if the path names none. */
  readonly region: Region | undefined;
  /** The status or the outcome. */
  readonly mark: string;
  /** The method; `EVENT` for a delivery. */
  readonly verb: string;
  /** The path, or the type of the event. */
  readonly name: string;
  /** The operation, or the address of the receiver. */
  readonly target: string;
  /** The holder of the secret. */
  readonly secret: string;
  /** The kind of the injected fault. */
  readonly fault?: string | undefined;
  /** Why it failed, if it did. */
  readonly failure: string | undefined;
  /** What else there is to say. */
  readonly note?: string | undefined;
  /** Milliseconds; undefined before the response. */
  readonly duration: number | undefined;
}

/** The row of a request. */
export function requestRow(request: FakeRequest): PageRow {
  const { id, at, region, method, path, query, status, duration, endpoint, fault, headers } = request;
  const unnamed = headers.authorization === undefined ? 'no secret' : 'unknown secret';
  return {
    id,
    at,
    region,
    fault,
    duration,
    verb: method,
    name: path + query,
    mark: String(status ?? (duration === undefined ? '…' : 'none')),
    target: endpoint ?? 'no operation',
    secret: request.secretOf ?? unnamed,
    failure: failureOfRequest(request),
  };
}

/** The row of a delivery. */
export function deliveryRow(delivery: DeliveryRecord): PageRow {
  const { id, at, region, type, status, outcome, address, duration, secretOf } = delivery;
  return {
    id,
    at,
    region,
    duration,
    verb: 'EVENT',
    name: type,
    target: address,
    mark: String(status ?? outcome ?? SENDING),
    secret: secretOf ?? 'forged secret',
    failure: failureOfDelivery(delivery),
    note: isForgedAndRefused(delivery) ? 'The receiver refused the forged secret, as it should.' : undefined,
  };
}

/** The characters of a receiver's response that a reason repeats. */
const MAX_QUOTED_LENGTH = 200;

/** `14:03:59`: the time of day, in the time zone of this process. */
export function timeOfDay(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** `12 ms`, or `1.5 s`. */
export function durationText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Says what a fault without an error body did. */
const FAULT_EFFECTS: Readonly<Record<string, string>> = {
  truncated: 'The fault cut the response in the middle of its JSON.',
  stall: 'The fault paused the response half way.',
  reset: 'The fault cut the connection.',
};

/** Why a request failed, and what to do if that is known. Undefined if it succeeded, or is under way. */
export function failureOfRequest(request: FakeRequest): string | undefined {
  const { status, fault, response, duration, secretOf } = request;
  const effect = FAULT_EFFECTS[fault ?? ''];
  if (duration === undefined) return undefined;
  if (effect !== undefined) return effect;
  if (status === undefined) return 'The client disconnected before the response.';
  if (status < 400) return undefined;
  const isUnknown = status === 401 && secretOf === undefined && fault === undefined;
  return (
    (wordsOf(response) || `The fake responded with ${status}.`) +
    (isUnknown ? " Use a secret from the fake's settings." : '')
  );
}

/** The advice for a receiver that accepts a forged event. */
export const FORGED_ADVICE = 'A receiver must answer 401. Verify the secret of every event.';

function isForged(delivery: PostResult | DeliveryRecord): boolean {
  return 'secretOf' in delivery && delivery.secretOf === undefined;
}

/** Whether a receiver has refused a forged event, as it should. */
export function isForgedAndRefused(delivery: PostResult | DeliveryRecord): boolean {
  return isForged(delivery) && delivery.status === 401;
}

/** Why a delivery failed, and what to do if that is known. Undefined for a 200, and while it is under way. */
export function failureOfDelivery(delivery: PostResult | DeliveryRecord): string | undefined {
  if (isForgedAndRefused(delivery)) return undefined;
  const { outcome, status = 0, response = '', error = '' } = delivery;
  if (outcome === 'success' && isForged(delivery)) return FORGED_ADVICE;
  if (outcome === undefined || outcome === 'success') return undefined;
  if (outcome === 'timeout')
    return `${sentence(error)} Respond first and work later, for example with an inbox.`;
  if (outcome === 'failed') return sentence(error);
  const said = parseJson(response);
  const reason = wordsOf(said === undefined ? response : said);
  const leads =
    'location' in delivery && delivery.location ? ` The redirect leads to ${delivery.location}` : '';
  return `${reason || `The receiver responded with ${status}.`} ${adviceFor(status)}${leads}`.trim();
}

/** Says how to fix a status of a receiver. */
function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'Does the receiver have the secret of this workspace?';
  if (status === 404 || status === 405) return 'Is the path right, and does it accept POST?';
  if (status < 300) return 'Only 200 is a success.';
  if (status < 400) return 'The sender does not follow redirects: only 200 is a success.';
  return status < 500 ? '' : "See the receiver's log.";
}

/** The message of an error body with its issues, or the beginning of another body. */
function wordsOf(body: unknown): string {
  if (typeof body === 'string') return ended(onOneLine(body.slice(0, MAX_QUOTED_LENGTH)));
  if (!isObject(body) || typeof body.message !== 'string') return '';
  const issues = Array.isArray(body.issues) ? body.issues : [];
  return [ended(body.message), ...issues.map(wordsOf)].join(' ');
}

/** Words of this package as a sentence. */
function sentence(text: string): string {
  return ended(text.charAt(0).toUpperCase() + text.slice(1));
}

/** Words of somebody else: they may begin with the name of a field. */
function ended(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}
