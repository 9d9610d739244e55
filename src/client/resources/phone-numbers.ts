import { endpoints } from '../../endpoints/endpoints.js';
import type { ReleaseNumberInput, ReleaseNumberResult } from '../../schemas/release-number.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Releases phone numbers that were rented from the platform or imported.
 *
 * @group Calls & Numbers
 */
export class PhoneNumbersResource extends Resource {
  /**
   * Releases a telephone number from a workspace (specification, 4.3).
   *
   * With `isImportedNumber: false` (a number bought through `/utils/buy-telco-number`), the platform's
   * telephony account releases it too, which frees the slot. That is permanent, and you may not get the same
   * number back. With `true`, the number only leaves the workspace: the customer's own account keeps it.
   *
   * @remarks Retried only after a 429, or when no connection was made.
   *
   * @param number - `phoneNumberSid` and `isImportedNumber` are required. That is a choice: the specification
   * does not say which fields the service requires.
   * @returns `{ isGood, errors }`. The specification does not say what `errors` contains.
   * @throws {OperationFailedError} If the service responds `isGood: false` (a choice of this package).
   * @throws {RequestValidationError} If an argument is wrong; nothing was sent.
   * @throws {ApiError} If the service responds with an error status.
   * @throws {ConnectionError} If no response came. If `outcomeUnknown` is true, look in the dashboard, if it
   * shows numbers: the specification has no operation that shows the result.
   * @throws {ResponseValidationError} If the response is unusable, or in `'strict'` does not match the
   * specification.
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
