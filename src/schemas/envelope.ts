import { flag, text } from './leaf.js';
import { openObject } from './object.js';

/** What an answer says beside its data; the whole body of an answer without data (document, 2.7). */
export interface Envelope {
  /** The operation succeeded. */
  success?: boolean | undefined;
  /** What happened, in words. */
  message?: string | undefined;
}

/** What every envelope may carry beside its data. */
export const envelopeFields = { success: flag, message: text };

/** Schema of {@link Envelope}. */
export const EnvelopeSchema = /* @__PURE__ */ openObject(() => envelopeFields);
