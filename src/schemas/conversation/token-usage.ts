import { dictionary, number, text } from '../leaf.js';
import { openObject } from '../object.js';

/** The LLM tokens a conversation used, in all and in its last turn (document, 2.6, tokenUsage). */
export interface TokenUsage {
  /** Input tokens of all turns. */
  cumulativeInputTokens?: number | undefined;
  /** Output tokens of all turns. */
  cumulativeOutputTokens?: number | undefined;
  /** Tokens of all turns. */
  cumulativeTotalTokens?: number | undefined;
  /** Cost of all turns, in USD. */
  cumulativeUsd?: number | undefined;
  /** Input tokens of the last turn. */
  lastTurnInputTokens?: number | undefined;
  /** Output tokens of the last turn. */
  lastTurnOutputTokens?: number | undefined;
  /** Tokens of the last turn. */
  lastTurnTotalTokens?: number | undefined;
  /** Cost of the last turn, in USD. */
  lastTurnUsd?: number | undefined;
  /** Context window in the last turn. */
  lastTurnContextWindow?: number | undefined;
  /** Price of 1000 input tokens in the last turn, in USD. */
  lastTurnInputUsdPer1k?: number | undefined;
  /** Price of 1000 output tokens in the last turn, in USD. */
  lastTurnOutputUsdPer1k?: number | undefined;
  /** Time of the last turn: UNIX timestamp; unit not documented. */
  lastTurnTs?: number | undefined;
  /** Id of the model of the last turn. */
  lastTurnModelId?: string | undefined;
  /** Usage by model; its fields are not documented. */
  usagePerModel?: Record<string, unknown> | undefined;
}

/** Schema of {@link TokenUsage}. */
export const TokenUsageSchema = /* @__PURE__ */ openObject(() => ({
  cumulativeInputTokens: number,
  cumulativeOutputTokens: number,
  cumulativeTotalTokens: number,
  cumulativeUsd: number,
  lastTurnInputTokens: number,
  lastTurnOutputTokens: number,
  lastTurnTotalTokens: number,
  lastTurnUsd: number,
  lastTurnContextWindow: number,
  lastTurnInputUsdPer1k: number,
  lastTurnOutputUsdPer1k: number,
  lastTurnTs: number,
  lastTurnModelId: text,
  usagePerModel: dictionary,
}));
