import * as z from 'zod/mini';
import { expectedText, requiredText, text } from './fields.js';
import { openObject } from './object.js';

/** Request body that releases a telephone number from a workspace (specification, 4.3). */
export interface ReleaseNumberInput {
  /** Workspace that the number is released from. Whether it is required is not shown; a sample omits it. */
  workspaceId?: string | undefined;
  /** SID of the telephone number; not described further. */
  phoneNumberSid: string;
  /**
   * Whether the number was imported.
   *
   * False: the number was bought through `/utils/buy-telco-number` (shape not shown). It is also released on the
   * platform's telephony account, which frees the slot. That is permanent; the same number may not be reclaimable.
   *
   * True: the number is only removed from the workspace. The customer's own telephony account keeps it.
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
  /** By its name, the release succeeded; not described further. */
  isGood: boolean;
  /** By its name, what went wrong. What the operation returns here is not shown. Expected, not required. */
  errors: string;
}

/** Schema of {@link ReleaseNumberResult}. */
export const ReleaseNumberResultSchema = /* @__PURE__ */ openObject(() => ({
  isGood: z.boolean(),
  errors: expectedText,
}));
