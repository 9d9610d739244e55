import * as z from 'zod/mini';
import { anything, anythings, number, text, texts } from '../leaf.js';
import { type OpenEnum, openEnum } from '../open-enum.js';
import { type DetailedCost, DetailedCostSchema } from './detailed-cost.js';
import { type NodesInfo, NodesInfoSchema } from './nodes-info.js';
import { type TokenUsage, TokenUsageSchema } from './token-usage.js';
import { type VoiceprovCall, VoiceprovCallSchema, type VoiceSession, VoiceSessionSchema } from './voice.js';

/** What happened in a conversation (document, 2.6: counters and times, labels, calls, cost, free-form, tokens). */
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
  /** State. The document shows `requested_chat` and `ai-chatting`; the set and its transitions are not shown. */
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
  /** Why the conversation ended. */
  endReason?: string | undefined;
  /** Call at the external voice provider. */
  voiceprov?: VoiceprovCall | undefined;
  /** Voice session. */
  voice?: VoiceSession | undefined;
  /** Cost by part. */
  detailedCost?: DetailedCost | undefined;
  /** Where the conversation stands among the nodes of its agent. */
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
