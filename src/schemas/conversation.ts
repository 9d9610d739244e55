import * as z from 'zod/v4/mini';
import * as records from './conversation-records.js';
import {
  anything,
  anythings,
  dictionary,
  flag,
  known,
  number,
  type OpenEnum,
  requiredText,
  text,
  texts,
} from './fields.js';
import { openObject } from './object.js';

// The doc comments are the words of openapi.json, up to their first tag.

/**
 * A chat or call between an end user and an agent (specification, 2.6).
 *
 * The specification gives names, types and groups of the fields, here and in the records inside. The meanings
 * are read from the names. Numeric times are UNIX timestamps. It doesn't say in which unit. Nor does it
 * describe units of other numbers, formats of strings, or further values of open lists. Most fields are
 * optional; it doesn't say which ones are required.
 *
 * @remarks Every field except `ID` is optional here, a choice of this package. A stored record can differ
 * from this type: look at the drift before you rely on a field (docs/guides/validation.md).
 */
export interface Conversation {
  // Contact and lead.

  /** Email of the end user. */
  userEmail?: string | undefined;
  /** Name of the end user. */
  userName?: string | undefined;
  /** Telephone number of the end user. */
  userPhone?: string | undefined;
  /** Address of the end user. */
  userAddress?: string | undefined;
  /** Company of the end user. */
  userCompany?: string | undefined;
  /** Website of the end user. */
  userWebsite?: string | undefined;
  /** Notes. */
  notes?: string | undefined;
  /** Profile picture of the end user. */
  userProfilePic?: string | undefined;
  /** Currency. The API specification doesn't say of which amount. */
  currency?: string | undefined;
  /** Date on which the deal is expected to close. */
  expectedCloseDate?: string | undefined;
  /** Sub-industry of the end user. */
  subIndustry?: string | undefined;
  /** Source. */
  source?: string | undefined;
  /** Language. */
  language?: string | undefined;
  /** LinkedIn profile: a URL or a name. */
  linkedIn?: string | undefined;
  /** Facebook profile: a URL or a name. */
  facebook?: string | undefined;
  /** Instagram profile: a URL or a name. */
  instagram?: string | undefined;
  /** Date of the demo. */
  demoDate?: string | undefined;
  /** Time of the demo. */
  demoTime?: string | undefined;
  /** Link to the demo. */
  demoLink?: string | undefined;
  /** Why the lead was lost. */
  lostReason?: string | undefined;
  /** Date of the last activity. */
  lastActivityDate?: string | undefined;
  /** Stage of the lead in the pipeline. */
  stage?: OpenEnum<'new'> | undefined;
  /** Value of the lead in the pipeline. */
  value?: number | undefined;
  // Identity and channel.

  /**
   * Id of the conversation record. An example composes it from the agent id and the conversation id.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  ID: string;
  /** User id. An example composes it from the agent id and the conversation id. */
  userID?: string | undefined;
  /** Id of the campaign. */
  campaignId?: string | undefined;
  /** Image of the end user. */
  userImage?: string | undefined;
  /** Social handle of the end user. */
  socialHandle?: string | undefined;
  /** Operating system of the end user. */
  userOs?: string | undefined;
  /** Browser of the end user. */
  userBrowser?: string | undefined;
  /** IP address of the end user. */
  ipAddress?: string | undefined;
  /** Time zone of the end user's browser. */
  browserTimezone?: string | undefined;
  /** Country code. */
  countryCode?: string | undefined;
  /** Platform the end user is on. */
  userPlatform?: string | undefined;
  /** Id of the contact identity. */
  contactIdentityId?: string | undefined;
  /** Context from other channels. */
  crossChannelContext?: string | undefined;
  /** Whether the end user follows the business. */
  isFollowingBusiness?: boolean | undefined;
  /** Whether a social account of the end user is verified. */
  socialVerified?: boolean | undefined;
  /** Whether the end user is blocked. */
  isBlocked?: boolean | undefined;
  /** Whether the conversation is a test. */
  isTest?: boolean | undefined;
  /** Whether someone is typing. The API specification doesn't say who. */
  isTyping?: boolean | undefined;
  /** Channel, such as web-chat or whatsapp: any JSON value. */
  origin?: unknown;
  /** Id of the WhatsApp phone number. */
  whatsappPhoneNumberId?: string | undefined;
  /** WhatsApp number of the business. */
  whatsappBusinessNumber?: string | undefined;
  /** WhatsApp phone number as it is displayed. */
  whatsappDisplayPhoneNumber?: string | undefined;
  /** Id of the WhatsApp business account. */
  whatsappBusinessAccountId?: string | undefined;
  /** Linked channels. */
  linkedChannels?: string[] | undefined;
  /** Session at the external flow-builder platform. */
  externalFlowV4Session?: records.ExternalFlowV4Session | undefined;
  /** Whether the end user is a small-business contact. */
  smbContact?: boolean | undefined;
  /** Name of the small-business contact. */
  smbContactName?: string | undefined;
  /** When the small-business contact was removed: UNIX timestamp. */
  smbContactRemovedAt?: number | undefined;
  /** When the small-business contact was last seen: UNIX timestamp. */
  smbLastSeenAt?: number | undefined;
  // Counters, times, labels, calls and cost.

  /** Number of messages. */
  messagesNum?: number | undefined;
  /** Number of interactions. */
  interactionsNum?: number | undefined;
  /**
   * UNIX timestamp. The API specification doesn't say what it marks.
   *
   * @remarks In seconds in the fake, a choice.
   */
  ts?: number | undefined;
  /** Duration of the conversation, in seconds. */
  convoTimeSeconds?: number | undefined;
  /**
   * Time of the first message: UNIX timestamp.
   *
   * @remarks In seconds in the fake, a choice.
   */
  firstMessageTS?: number | undefined;
  /**
   * Time of the last message: UNIX timestamp.
   *
   * @remarks In seconds in the fake, a choice.
   */
  lastMessageTS?: number | undefined;
  /**
   * Time of the last modification: UNIX timestamp.
   *
   * @remarks In seconds in the fake, a choice.
   */
  lastModified?: number | undefined;
  /** Number of sessions. */
  sessionsNum?: number | undefined;
  /** Total number of interactions of the end user. */
  totalUserInteractions?: number | undefined;
  /** Rating out of 5. */
  ratingFrom5?: number | undefined;
  /** Average latency. */
  averageLatency?: number | undefined;
  /** When the conversation was last viewed: UNIX timestamp. */
  lastViewed?: number | undefined;
  /** Tags. */
  tags?: string[] | undefined;
  /** State. The API specification doesn't say how one follows another (3). */
  state?: OpenEnum<'requested_chat' | 'ai-chatting'> | undefined;
  /** Language. The API specification doesn't say how it differs from `language`. */
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
  voiceprov?: records.VoiceprovCall | undefined;
  /** Voice session. */
  voice?: records.VoiceSession | undefined;
  /** Cost by part. */
  detailedCost?: records.DetailedCost | undefined;
  /** Position among the nodes of the agent. */
  nodesInfo?: records.NodesInfo | undefined;
  /** Captured variables: any JSON value. */
  capturedVariables?: unknown;
  /** Campaign calls: any JSON values. */
  campaignCalls?: unknown[] | undefined;
  /** Sessions: any JSON values. */
  sessions?: unknown[] | undefined;
  /** Metrics: any JSON values. */
  metrics?: unknown[] | undefined;
  /** LLM tokens used. */
  tokenUsage?: records.TokenUsage | undefined;
  // Takeover, assignment, archive and resolution.

  /** When a human claimed the conversation: UNIX timestamp. */
  humanClaimedAt?: number | undefined;
  /** When a human last replied: UNIX timestamp. */
  humanLastRepliedAt?: number | undefined;
  /** Time of the pending reply of the AI: UNIX timestamp. */
  pendingAiReplyAt?: number | undefined;
  /** Who the chat is assigned to: an id or a name. */
  chatAssignedTo?: string | undefined;
  /** Ids of those the chat is assigned to. */
  chatAssignedToIds?: string[] | undefined;
  /** The users the conversation is assigned to. */
  assignedToUsers?: records.Assignee[] | undefined;
  /** The user the conversation is assigned to. */
  assignedTo?: records.Assignee | undefined;
  /** Id of the user to notify. */
  notifyToUserId?: string | undefined;
  /** Key of the team that was requested. */
  requestedTeamKey?: string | undefined;
  /** Who delegated the chat: an id or a name. */
  delegatedBy?: string | undefined;
  /** When the chat was delegated: UNIX timestamp. */
  delegatedAt?: number | undefined;
  /** History of the handoffs. */
  handoffHistory?: records.HandoffRecord[] | undefined;
  /** Whether the conversation is archived. */
  isArchived?: boolean | undefined;
  /** When it was archived: UNIX timestamp. */
  archivedAt?: number | undefined;
  /** Who archived it: an id or a name. */
  archivedBy?: string | undefined;
  /** Whether the conversation is resolved. */
  isResolved?: boolean | undefined;
  /** When it was resolved: UNIX timestamp. */
  resolvedAt?: number | undefined;
  /** Who resolved it: an id or a name. */
  resolvedBy?: string | undefined;
  /** Email of the one who resolved it. */
  resolvedByEmail?: string | undefined;
  /** Id of the assignee at the last resolution. */
  lastResolvedAssigneeId?: string | undefined;
  /** When it was reopened: UNIX timestamp. */
  reopenedAt?: number | undefined;
  /** Why it was reopened. */
  reopenReason?: string | undefined;
  /** Response to a customer-satisfaction survey. */
  csat?: records.Csat | undefined;
  // Note, heat, CRM and funnel.

  /** Note on the conversation. */
  note?: string | undefined;
  /** Heat of the lead, as a score. */
  hotScore?: number | undefined;
  /** Heat of the lead, as a label. */
  hotLabel?: OpenEnum<'hot'> | undefined;
  /** CRM activities. */
  crmActivities?: records.CrmActivity[] | undefined;
  /** CRM alerts. */
  crmAlerts?: records.CrmAlerts | undefined;
  /** Score of the lead; 0 in the specification's sample. */
  leadScore?: number | undefined;
  /** Funnel steps that matched: any JSON values, empty in the specification's sample. */
  funnelStepsMatched?: unknown[] | undefined;
  /** Earlier scores: any JSON values, empty in the specification's sample. */
  funnelScoreHistory?: unknown[] | undefined;
  /** Whether the notification of the funnel was sent; false in the specification's sample. */
  funnelNotificationSent?: boolean | undefined;
  /** When the funnel was last evaluated: UNIX timestamp. */
  funnelLastEvaluated?: number | undefined;
  /** Data extracted for the funnel. The API specification doesn't describe its fields. */
  funnelExtractedData?: Record<string, unknown> | undefined;
  /** Summary for the funnel. */
  funnelSummary?: string | undefined;
  /** State of inbound engagement. */
  inboundEngagementState?: records.InboundEngagementState | undefined;
}

/** Schema of {@link Conversation}. */
// One record, one list of fields.
// oxlint-disable-next-line max-lines-per-function
export const ConversationSchema = /* @__PURE__ */ openObject(() => ({
  userEmail: text,
  userName: text,
  userPhone: text,
  userAddress: text,
  userCompany: text,
  userWebsite: text,
  notes: text,
  userProfilePic: text,
  currency: text,
  expectedCloseDate: text,
  subIndustry: text,
  source: text,
  language: text,
  linkedIn: text,
  facebook: text,
  instagram: text,
  demoDate: text,
  demoTime: text,
  demoLink: text,
  lostReason: text,
  lastActivityDate: text,
  stage: known<'new'>(text),
  value: number,
  ID: requiredText,
  userID: text,
  campaignId: text,
  userImage: text,
  socialHandle: text,
  userOs: text,
  userBrowser: text,
  ipAddress: text,
  browserTimezone: text,
  countryCode: text,
  userPlatform: text,
  contactIdentityId: text,
  crossChannelContext: text,
  isFollowingBusiness: flag,
  socialVerified: flag,
  isBlocked: flag,
  isTest: flag,
  isTyping: flag,
  origin: anything,
  whatsappPhoneNumberId: text,
  whatsappBusinessNumber: text,
  whatsappDisplayPhoneNumber: text,
  whatsappBusinessAccountId: text,
  linkedChannels: texts,
  externalFlowV4Session: z.optional(records.ExternalFlowV4SessionSchema),
  smbContact: flag,
  smbContactName: text,
  smbContactRemovedAt: number,
  smbLastSeenAt: number,
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
  state: known<'requested_chat' | 'ai-chatting'>(text),
  lang: text,
  title: text,
  lastMessage: text,
  summary: text,
  shortSummary: text,
  endReason: text,
  voiceprov: z.optional(records.VoiceprovCallSchema),
  voice: z.optional(records.VoiceSessionSchema),
  detailedCost: z.optional(records.DetailedCostSchema),
  nodesInfo: z.optional(records.NodesInfoSchema),
  capturedVariables: anything,
  campaignCalls: anythings,
  sessions: anythings,
  metrics: anythings,
  tokenUsage: z.optional(records.TokenUsageSchema),
  humanClaimedAt: number,
  humanLastRepliedAt: number,
  pendingAiReplyAt: number,
  chatAssignedTo: text,
  chatAssignedToIds: texts,
  assignedToUsers: z.optional(z.array(records.AssigneeSchema)),
  assignedTo: z.optional(records.AssigneeSchema),
  notifyToUserId: text,
  requestedTeamKey: text,
  delegatedBy: text,
  delegatedAt: number,
  handoffHistory: z.optional(z.array(records.HandoffRecordSchema)),
  isArchived: flag,
  archivedAt: number,
  archivedBy: text,
  isResolved: flag,
  resolvedAt: number,
  resolvedBy: text,
  resolvedByEmail: text,
  lastResolvedAssigneeId: text,
  reopenedAt: number,
  reopenReason: text,
  csat: z.optional(records.CsatSchema),
  note: text,
  hotScore: number,
  hotLabel: known<'hot'>(text),
  crmActivities: z.optional(z.array(records.CrmActivitySchema)),
  crmAlerts: z.optional(records.CrmAlertsSchema),
  leadScore: number,
  funnelStepsMatched: anythings,
  funnelScoreHistory: anythings,
  funnelNotificationSent: flag,
  funnelLastEvaluated: number,
  funnelExtractedData: dictionary,
  funnelSummary: text,
  inboundEngagementState: z.optional(records.InboundEngagementStateSchema),
}));
