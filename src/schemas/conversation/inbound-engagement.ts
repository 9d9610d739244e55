import * as z from 'zod/mini';
import { flag, number, text } from '../leaf.js';
import { openObject } from '../object.js';
import { type OpenEnum, openEnum } from '../open-enum.js';

/** Whether the AI engages in an inbound conversation, and why (document, 2.6, inboundEngagementState). */
export interface InboundEngagementState {
  /** Time of the first decision: UNIX timestamp; unit not documented. */
  firstDecisionAt?: number | undefined;
  /** Time of the last decision: UNIX timestamp; unit not documented. */
  lastDecisionAt?: number | undefined;
  /** The first decision was to reply. */
  firstDecisionShouldReply?: boolean | undefined;
  /** The last decision was to reply. */
  lastDecisionShouldReply?: boolean | undefined;
  /** The AI owns the thread. */
  aiOwnedThread?: boolean | undefined;
  /** The thread is to be ignored. */
  ignoreThread?: boolean | undefined;
  /** Reason of the last decision. */
  lastDecisionReason?: string | undefined;
  /** What triggered it last. The document shows `phrase`. */
  lastTriggeredBy?: OpenEnum<'phrase'> | undefined;
}

/** Schema of {@link InboundEngagementState}. */
export const InboundEngagementStateSchema = /* @__PURE__ */ openObject(() => ({
  firstDecisionAt: number,
  lastDecisionAt: number,
  firstDecisionShouldReply: flag,
  lastDecisionShouldReply: flag,
  aiOwnedThread: flag,
  ignoreThread: flag,
  lastDecisionReason: text,
  lastTriggeredBy: z.optional(openEnum<'phrase'>()),
}));
