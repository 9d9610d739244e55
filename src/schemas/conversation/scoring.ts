import * as z from 'zod/mini';
import { anythings, dictionary, flag, number, type OpenEnum, openEnum, text } from '../leaf.js';
import { openObject } from '../object.js';

/** One note in the history of a CRM activity (specification, 2.6, notesHistory). */
export interface CrmNote {
  /** Text of the note. */
  text?: string | undefined;
  /** Id of the agent that wrote it. */
  agentId?: string | undefined;
  /** Name of the agent that wrote it. */
  agentName?: string | undefined;
  /** Time of the note; a string, format not documented. */
  timestamp?: string | undefined;
}

/** Schema of {@link CrmNote}. */
export const CrmNoteSchema = /* @__PURE__ */ openObject(() => ({
  text,
  agentId: text,
  agentName: text,
  timestamp: text,
}));

/** One CRM activity of a conversation (specification, 2.6, crmActivities). */
export interface CrmActivity {
  /** Type of the activity. The specification shows `Message`. */
  type?: OpenEnum<'Message'> | undefined;
  /** Id of the activity. */
  id?: string | undefined;
  /** Title of the activity. */
  title?: string | undefined;
  /** Date of the activity; format not documented. */
  date?: string | undefined;
  /** Date the activity is due; format not documented. */
  dueDate?: string | undefined;
  /** The activity is completed. */
  completed?: boolean | undefined;
  /** The lead has responded. */
  responded?: boolean | undefined;
  /** First channel. The specification shows `LinkedIn`. */
  firstChannel?: OpenEnum<'LinkedIn'> | undefined;
  /** Second channel. The specification shows `LinkedIn`. */
  secondChannel?: OpenEnum<'LinkedIn'> | undefined;
  /** The first channel has been engaged. */
  firstEngaged?: boolean | undefined;
  /** The second channel has been engaged. */
  secondEngaged?: boolean | undefined;
  /** Note on the activity. */
  note?: string | undefined;
  /** The notes so far. */
  notesHistory?: CrmNote[] | undefined;
  /** Further data; its fields are not documented. */
  metadata?: Record<string, unknown> | undefined;
}

const channel = /* @__PURE__ */ z.optional(/* @__PURE__ */ openEnum<'LinkedIn'>());

/** Schema of {@link CrmActivity}. */
export const CrmActivitySchema = /* @__PURE__ */ openObject(() => ({
  type: z.optional(openEnum<'Message'>()),
  id: text,
  title: text,
  date: text,
  dueDate: text,
  completed: flag,
  responded: flag,
  firstChannel: channel,
  secondChannel: channel,
  firstEngaged: flag,
  secondEngaged: flag,
  note: text,
  notesHistory: z.optional(z.array(CrmNoteSchema)),
  metadata: dictionary,
}));

/** The CRM alerts of a conversation (specification, 2.6, crmAlerts). */
export interface CrmAlerts {
  /** The ECD is overdue. The specification does not explain the abbreviation. */
  overdueECD?: boolean | undefined;
  /** An activity is overdue. */
  overdueActivity?: boolean | undefined;
  /** The lead is stale. */
  staleLead?: boolean | undefined;
  /** The lead has responded. */
  responded?: boolean | undefined;
  /** A new handoff is assigned. */
  newHandoffAssigned?: boolean | undefined;
}

/** Schema of {@link CrmAlerts}. */
export const CrmAlertsSchema = /* @__PURE__ */ openObject(() => ({
  overdueECD: flag,
  overdueActivity: flag,
  staleLead: flag,
  responded: flag,
  newHandoffAssigned: flag,
}));

/** Tells whether the AI engages in an inbound conversation, and why (specification, 2.6, inboundEngagementState). */
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
  /** The last trigger. The specification shows `phrase`. */
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

/** The worth of a conversation as a lead (specification, 2.6: note, lead heat, CRM, funnel, inbound engagement). */
export interface ConversationScoring {
  /** Note on the conversation. */
  note?: string | undefined;
  /** Heat of the lead as a score. */
  hotScore?: number | undefined;
  /** Heat of the lead as a label. The specification shows `hot`; other values are not shown. */
  hotLabel?: OpenEnum<'hot'> | undefined;
  /** CRM activities. */
  crmActivities?: CrmActivity[] | undefined;
  /** CRM alerts. */
  crmAlerts?: CrmAlerts | undefined;
  /** Score of the lead; 0 in the specification's sample. */
  leadScore?: number | undefined;
  /** Funnel steps that matched; any JSON values, empty in the specification's sample. */
  funnelStepsMatched?: unknown[] | undefined;
  /** Scores so far; any JSON values, empty in the specification's sample. */
  funnelScoreHistory?: unknown[] | undefined;
  /** The notification on the funnel has been sent; false in the specification's sample. */
  funnelNotificationSent?: boolean | undefined;
  /** Time of the last evaluation: UNIX timestamp; unit not documented. */
  funnelLastEvaluated?: number | undefined;
  /** Data extracted for the funnel; its fields are not documented. */
  funnelExtractedData?: Record<string, unknown> | undefined;
  /** Summary for the funnel. */
  funnelSummary?: string | undefined;
  /** Tells whether the AI engages in an inbound conversation, and why. */
  inboundEngagementState?: InboundEngagementState | undefined;
}

export const scoringFields = () => ({
  note: text,
  hotScore: number,
  hotLabel: z.optional(openEnum<'hot'>()),
  crmActivities: z.optional(z.array(CrmActivitySchema)),
  crmAlerts: z.optional(CrmAlertsSchema),
  leadScore: number,
  funnelStepsMatched: anythings,
  funnelScoreHistory: anythings,
  funnelNotificationSent: flag,
  funnelLastEvaluated: number,
  funnelExtractedData: dictionary,
  funnelSummary: text,
  inboundEngagementState: z.optional(InboundEngagementStateSchema),
});
