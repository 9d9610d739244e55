import type { Region } from '../../utils/regions.js';
import type { FakeRequest } from '../fake/log.js';
import type { DeliveryRecord } from '../sending/post.js';
import { failureOfDelivery, failureOfRequest, isForgedAndRefused } from './describe.js';

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
  readonly fault: string | undefined;
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
    fault: undefined,
    verb: 'EVENT',
    name: type,
    target: address,
    mark: String(status ?? outcome ?? SENDING),
    secret: secretOf ?? 'forged secret',
    failure: failureOfDelivery(delivery),
    note: isForgedAndRefused(delivery) ? 'The receiver refused the forged secret, as it should.' : undefined,
  };
}
