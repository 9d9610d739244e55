import * as z from 'zod/v4/mini';
import { requiredText, text } from './fields.js';
import { openObject } from './object.js';

// The doc comments are the words of openapi.json, up to their first tag.

/** The request body that releases a phone number from a workspace (specification, 4.3). */
export interface ReleaseNumberInput {
  /**
   * Workspace to release the number from. The API specification doesn't say whether it is required; a sample
   * omits it.
   */
  workspaceId?: string | undefined;
  /**
   * SID of the phone number.
   *
   * @choice Required; the specification does not say which fields are.
   */
  phoneNumberSid: string;
  /**
   * Whether the number was imported.
   *
   * - `false`: it was bought through `/utils/buy-telco-number`. It is also released on the platform's telephony account,
   *   which frees the slot. That is permanent; the same number may not be
   *   reclaimable.
   * - `true`: it is only removed from the workspace. The customer's own telephony account keeps it.
   *
   * @choice Required; the specification does not say which fields are.
   */
  isImportedNumber: boolean;
}

/** Schema of {@link ReleaseNumberInput}. */
export const ReleaseNumberInputSchema = /* @__PURE__ */ openObject(() => ({
  workspaceId: text,
  phoneNumberSid: requiredText,
  isImportedNumber: z.boolean(),
}));

/** The response to the release of a number (specification, 4.3). */
export interface ReleaseNumberResult {
  /**
   * Whether the release succeeded: read from the name.
   *
   * @choice Required; the specification does not say which fields are.
   */
  isGood: boolean;
  /**
   * Reasons for a failure, by the name. The API specification doesn't describe them.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  errors: string;
}

/** Schema of {@link ReleaseNumberResult}. */
export const ReleaseNumberResultSchema = /* @__PURE__ */ openObject(() => ({
  isGood: z.boolean(),
  errors: requiredText,
}));
