import * as z from 'zod/mini';
import { anything, anythings, dictionary, number, type OpenEnum, openEnum, text, texts } from '../leaf.js';
import { openObject } from '../object.js';

/** The call of a conversation at the external voice provider (specification, 2.6, voiceprov). */
export interface VoiceprovCall {
  /** Cost of the call; unit not documented. */
  cost?: number | undefined;
  /** Duration of the call; unit not documented. */
  callDuration?: number | undefined;
  /** URL of the recording. */
  recordingUrl?: string | undefined;
  /** URL of the synchronised recording. */
  syncRecordingUrl?: string | undefined;
  /** Telephone number of the caller. */
  callerPhoneNumber?: string | undefined;
  /** Telephone number of the callee. */
  calleePhoneNumber?: string | undefined;
  /** Status of the call. */
  callStatus?: string | undefined;
  /** Error of the call. */
  callError?: string | undefined;
}

/** Schema of {@link VoiceprovCall}. */
export const VoiceprovCallSchema = /* @__PURE__ */ openObject(() => ({
  cost: number,
  callDuration: number,
  recordingUrl: text,
  syncRecordingUrl: text,
  callerPhoneNumber: text,
  calleePhoneNumber: text,
  callStatus: text,
  callError: text,
}));

/** The voice session of a conversation (specification, 2.6, voice). */
export interface VoiceSession {
  /** Id of the latest session. */
  latestSessionId?: string | undefined;
  /** URL to listen in. Secret: `redact()` masks it. */
  listenUrl?: string | undefined;
  /** Time of the listen URL: UNIX timestamp; unit not documented. */
  listenUrlUNIX?: number | undefined;
}

/** Schema of {@link VoiceSession}. */
export const VoiceSessionSchema = /* @__PURE__ */ openObject(() => ({
  latestSessionId: text,
  listenUrl: text,
  listenUrlUNIX: number,
}));

/** The cost of a conversation, by part (specification, 2.6, detailedCost). The units are not documented. */
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

/** The position of a conversation among the nodes of its agent (specification, 2.6, nodesInfo). */
export interface NodesInfo {
  /** The node the conversation is at. */
  currentNode?: string | undefined;
}

/** Schema of {@link NodesInfo}. */
export const NodesInfoSchema = /* @__PURE__ */ openObject(() => ({ currentNode: text }));

/** The LLM tokens a conversation used, in all and in its last turn (specification, 2.6, tokenUsage). */
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

/** The course of a conversation (specification, 2.6: counters and times, labels, calls, cost, free-form, tokens). */
export interface ConversationActivity {
  /** Number of messages. */
  messagesNum?: number | undefined;
  /** Number of interactions. */
  interactionsNum?: number | undefined;
  /** UNIX timestamp; what it marks and its unit are not documented. */
  ts?: number | undefined;
  /** Duration of the conversation; by its name, in seconds. */
  convoTimeSeconds?: number | undefined;
  /** Time of the first message: UNIX timestamp; unit not documented. */
  firstMessageTS?: number | undefined;
  /** Time of the last message: UNIX timestamp; unit not documented. */
  lastMessageTS?: number | undefined;
  /** Time of the last modification: UNIX timestamp; unit not documented. */
  lastModified?: number | undefined;
  /** Number of sessions. */
  sessionsNum?: number | undefined;
  /** Number of the end user's interactions in total. */
  totalUserInteractions?: number | undefined;
  /** Rating; by its name, out of 5. */
  ratingFrom5?: number | undefined;
  /** Average latency; unit not documented. */
  averageLatency?: number | undefined;
  /** Time of the last view: UNIX timestamp; unit not documented. */
  lastViewed?: number | undefined;
  /** Tags. */
  tags?: string[] | undefined;
  /** State. The specification shows `requested_chat` and `ai-chatting`; the set and its transitions are not shown. */
  state?: OpenEnum<'requested_chat' | 'ai-chatting'> | undefined;
  /** Language of the conversation. */
  lang?: string | undefined;
  /** Title. */
  title?: string | undefined;
  /** Text of the last message. */
  lastMessage?: string | undefined;
  /** Summary. */
  summary?: string | undefined;
  /** Short summary. */
  shortSummary?: string | undefined;
  /** Reason why the conversation ended. */
  endReason?: string | undefined;
  /** Call at the external voice provider. */
  voiceprov?: VoiceprovCall | undefined;
  /** Voice session. */
  voice?: VoiceSession | undefined;
  /** Cost by part. */
  detailedCost?: DetailedCost | undefined;
  /** Position among the nodes of the agent. */
  nodesInfo?: NodesInfo | undefined;
  /** Captured variables; any JSON value. */
  capturedVariables?: unknown;
  /** Campaign calls; any JSON values. */
  campaignCalls?: unknown[] | undefined;
  /** Sessions; any JSON values. */
  sessions?: unknown[] | undefined;
  /** Metrics; any JSON values. */
  metrics?: unknown[] | undefined;
  /** LLM tokens used. */
  tokenUsage?: TokenUsage | undefined;
}

export const activityFields = () => ({
  messagesNum: number,
  interactionsNum: number,
  ts: number,
  convoTimeSeconds: number,
  firstMessageTS: number,
  lastMessageTS: number,
  lastModified: number,
  sessionsNum: number,
  totalUserInteractions: number,
  ratingFrom5: number,
  averageLatency: number,
  lastViewed: number,
  tags: texts,
  state: z.optional(openEnum<'requested_chat' | 'ai-chatting'>()),
  lang: text,
  title: text,
  lastMessage: text,
  summary: text,
  shortSummary: text,
  endReason: text,
  voiceprov: z.optional(VoiceprovCallSchema),
  voice: z.optional(VoiceSessionSchema),
  detailedCost: z.optional(DetailedCostSchema),
  nodesInfo: z.optional(NodesInfoSchema),
  capturedVariables: anything,
  campaignCalls: anythings,
  sessions: anythings,
  metrics: anythings,
  tokenUsage: z.optional(TokenUsageSchema),
});
