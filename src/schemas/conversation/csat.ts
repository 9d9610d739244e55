import { number, text } from '../leaf.js';
import { openObject } from '../object.js';

/** What the end user answered to the satisfaction survey (document, 2.6, csat). */
export interface Csat {
  /** Satisfaction; by its name, out of 10. */
  satisfaction10?: number | undefined;
  /** Ease; by its name, out of 10. */
  ease10?: number | undefined;
  /** Comment of the end user. */
  comment?: string | undefined;
  /** Time of the answer: UNIX timestamp; unit not documented. */
  submittedAt?: number | undefined;
  /** Channel of the answer. */
  channel?: string | undefined;
  /** Version of the survey. */
  surveyVersion?: number | undefined;
}

/** Schema of {@link Csat}. */
export const CsatSchema = /* @__PURE__ */ openObject(() => ({
  satisfaction10: number,
  ease10: number,
  comment: text,
  submittedAt: number,
  channel: text,
  surveyVersion: number,
}));
