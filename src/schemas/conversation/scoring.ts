import * as z from 'zod/mini';
import { anythings, dictionary, flag, number, text } from '../leaf.js';
import { type OpenEnum, openEnum } from '../open-enum.js';
import { type CrmActivity, CrmActivitySchema } from './crm-activity.js';
import { type CrmAlerts, CrmAlertsSchema } from './crm-alerts.js';
import { type InboundEngagementState, InboundEngagementStateSchema } from './inbound-engagement.js';

/** What a conversation is worth as a lead (document, 2.6: note, lead heat, CRM, funnel, inbound engagement). */
export interface ConversationScoring {
  /** Note on the conversation. */
  note?: string | undefined;
  /** Heat of the lead as a score. */
  hotScore?: number | undefined;
  /** Heat of the lead as a label. The document shows `hot`; other values are not shown. */
  hotLabel?: OpenEnum<'hot'> | undefined;
  /** CRM activities. */
  crmActivities?: CrmActivity[] | undefined;
  /** CRM alerts. */
  crmAlerts?: CrmAlerts | undefined;
  /** Score of the lead; 0 in the document's sample. */
  leadScore?: number | undefined;
  /** Funnel steps that matched; any JSON values, empty in the document's sample. */
  funnelStepsMatched?: unknown[] | undefined;
  /** Scores so far; any JSON values, empty in the document's sample. */
  funnelScoreHistory?: unknown[] | undefined;
  /** The notification on the funnel has been sent; false in the document's sample. */
  funnelNotificationSent?: boolean | undefined;
  /** Time of the last evaluation: UNIX timestamp; unit not documented. */
  funnelLastEvaluated?: number | undefined;
  /** Data extracted for the funnel; its fields are not documented. */
  funnelExtractedData?: Record<string, unknown> | undefined;
  /** Summary for the funnel. */
  funnelSummary?: string | undefined;
  /** Whether the AI engages in an inbound conversation, and why. */
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
