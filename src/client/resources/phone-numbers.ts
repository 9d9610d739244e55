import { endpoints } from '../../endpoints/endpoints.js';
import type { ReleaseNumberInput, ReleaseNumberResult } from '../../schemas/release-number.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Phone numbers, rented by the platform or imported.
 *
 * @group Calls & Numbers
 */
export class PhoneNumbersResource extends Resource {
  /**
   * Releases a telephone number from a workspace (specification, 4.3).
   *
   * With `isImportedNumber: false` (a number bought through `/utils/buy-telco-number`, whose shape is not
   * shown), the number is also released on the platform's telephony account, which frees the slot. That is
   * permanent, and the same number may not be reclaimable. With `true` the number is only removed from the
   * workspace; the customer's own telephony account keeps it.
   *
   * The token is a workspace secret for workspace-level operations, an agent secret for agent-specific ones.
   * Which of them this operation accepts is not shown (5.2).
   *
   * @remarks Never retried automatically, except after a 429 or when no connection was made.
   *
   * @param number - `phoneNumberSid`, which must not be empty, and `isImportedNumber` are required (choices of
   * this package). Which fields the service requires is not documented.
   * @returns The service's `{ isGood, errors }`. What it returns in `errors` is not documented.
   * @throws {OperationFailedError} If the service responds `isGood: false` (a choice of this package).
   * @throws {RequestValidationError} If an argument is wrong; nothing was sent.
   * @throws {ApiError} If the service responds with an error status.
   * @throws {ConnectionError} If no response came. If `outcomeUnknown` is true, look in the dashboard, if it
   * shows numbers: no documented operation shows whether the number was released.
   * @throws {ResponseValidationError} If the response cannot be used, or departs in `validation: 'strict'`.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * await platform.phoneNumbers.release({
   *   workspaceId: 'workspace_1',
   *   phoneNumberSid: 'PN1',
   *   isImportedNumber: true,
   * });
   * ```
   */
  release(number: ReleaseNumberInput, options?: RequestOptions): ApiPromise<ReleaseNumberResult> {
    return this.send(endpoints.releasePhoneNumber, { body: number }, options);
  }
}
