import * as z from 'zod/mini';
import { expectedText, requiredText, text } from './leaf.js';
import { openObject } from './object.js';

/** Request body that releases a telephone number from a workspace (specification, 4.3). */
export interface ReleaseNumberInput {
  /** Workspace that holds the number. The specification does not show whether it is required. */
  workspaceId?: string | undefined;
  /** Id of the number (its SID). An empty one is refused. */
  phoneNumberSid: string;
  /**
   * False for a number bought through the platform: it is also released on the platform's telephony account, for
   * good, and may not be reclaimable. True for an imported one: it is only removed from the workspace, and the
   * customer's own telephony account keeps it.
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
  /** The release is good; not described further. */
  isGood: boolean;
  /** What went wrong. The specification does not show its values. Expected, not required. */
  errors: string;
}

/** Schema of {@link ReleaseNumberResult}. */
export const ReleaseNumberResultSchema = /* @__PURE__ */ openObject(() => ({
  isGood: z.boolean(),
  errors: expectedText,
}));
