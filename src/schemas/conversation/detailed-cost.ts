import { number } from '../leaf.js';
import { openObject } from '../object.js';

/** What a conversation cost, by part (document, 2.6, detailedCost). The units are not documented. */
export interface DetailedCost {
  /** Credits consumed in total. */
  totalCreditsConsumed?: number | undefined;
  /** Cost of speech generation; unit not documented. */
  speechGenCost?: number | undefined;
  /** Cost of the transcriber; unit not documented. */
  transcriberCost?: number | undefined;
  /** Cost of telephony; unit not documented. */
  telcoCost?: number | undefined;
  /** Cost of the LLM; unit not documented. */
  llmCost?: number | undefined;
}

/** Schema of {@link DetailedCost}. */
export const DetailedCostSchema = /* @__PURE__ */ openObject(() => ({
  totalCreditsConsumed: number,
  speechGenCost: number,
  transcriberCost: number,
  telcoCost: number,
  llmCost: number,
}));
