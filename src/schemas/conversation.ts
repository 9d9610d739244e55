import * as z from 'zod/mini';
import {
  type Assignee,
  AssigneeSchema,
  type CrmActivity,
  CrmActivitySchema,
  type CrmAlerts,
  CrmAlertsSchema,
  type Csat,
  CsatSchema,
  type DetailedCost,
  DetailedCostSchema,
  type ExternalFlowV4Session,
  ExternalFlowV4SessionSchema,
  type HandoffRecord,
  HandoffRecordSchema,
  type InboundEngagementState,
  InboundEngagementStateSchema,
  type NodesInfo,
  NodesInfoSchema,
  type TokenUsage,
  TokenUsageSchema,
  type VoiceprovCall,
  VoiceprovCallSchema,
  type VoiceSession,
  VoiceSessionSchema,
} from './conversation-records.js';
import {
  anything,
  anythings,
  dictionary,
  expectedText,
  flag,
  number,
  type OpenEnum,
  openEnum,
  text,
  texts,
} from './leaf.js';
import { openObject } from './object.js';

/**
 * A chat or call between an end user and an agent (specification, 2.6): contact, lead, assignment, cost, CRM, scoring and
 * token data. Most fields are optional, and the specification does not show which are not: here, every field but `ID`
 * is. Numeric times are UNIX timestamps whose unit the specification does not show.
 *
 * `externalFlowV4Session.sessionKey` and `voice.listenUrl` are secrets: `redact()` masks them.
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
  /** Notes on the lead. */
  notes?: string | undefined;
  /** Profile picture of the end user. */
  userProfilePic?: string | undefined;
  /** Currency of the lead. */
  currency?: string | undefined;
  /** Date the lead is expected to close; format not documented. */
  expectedCloseDate?: string | undefined;
  /** Sub-industry of the lead. */
  subIndustry?: string | undefined;
  /** Source of the lead. */
  source?: string | undefined;
  /** Language of the lead. */
  language?: string | undefined;
  /** The lead on LinkedIn. */
  linkedIn?: string | undefined;
  /** The lead on Facebook. */
  facebook?: string | undefined;
  /** The lead on Instagram. */
  instagram?: string | undefined;
  /** Date of the demo; format not documented. */
  demoDate?: string | undefined;
  /** Time of the demo; format not documented. */
  demoTime?: string | undefined;
  /** Link to the demo. */
  demoLink?: string | undefined;
  /** Reason why the lead was lost. */
  lostReason?: string | undefined;
  /** Date of the last activity; format not documented. */
  lastActivityDate?: string | undefined;
  /** Stage in the lead pipeline. The specification shows `new`; other values are not shown. */
  stage?: OpenEnum<'new'> | undefined;
  /** Value in the lead pipeline; unit not documented. */
  value?: number | undefined;
  // Identity and channel.

  /** Conversation record id. An example composes it of the agent id and the conversation id. Expected, not required. */
  ID: string;
  /** User id. An example composes it of the agent id and the conversation id. */
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
  /** Country code of the end user. */
  countryCode?: string | undefined;
  /** Platform of the end user. */
  userPlatform?: string | undefined;
  /** Id of the contact identity. */
  contactIdentityId?: string | undefined;
  /** Context from other channels; a string, not described further. */
  crossChannelContext?: string | undefined;
  /** The end user follows the business. */
  isFollowingBusiness?: boolean | undefined;
  /** The end user's social account is verified. */
  socialVerified?: boolean | undefined;
  /** The end user is blocked. */
  isBlocked?: boolean | undefined;
  /** The conversation is a test. */
  isTest?: boolean | undefined;
  /** Someone is typing; the specification does not say who. */
  isTyping?: boolean | undefined;
  /** Channel, such as web-chat or whatsapp; any JSON value. */
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
  externalFlowV4Session?: ExternalFlowV4Session | undefined;
  /** The end user is a small-business contact. */
  smbContact?: boolean | undefined;
  /** Name of the small-business contact. */
  smbContactName?: string | undefined;
  /** Time the small-business contact was removed: UNIX timestamp; unit not documented. */
  smbContactRemovedAt?: number | undefined;
  /** Time the small-business contact was last seen: UNIX timestamp; unit not documented. */
  smbLastSeenAt?: number | undefined;
  // Counters, times, labels, calls and cost.

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
  // Takeover, assignment, archive and resolution.

  /** Time a human claimed the conversation: UNIX timestamp; unit not documented. */
  humanClaimedAt?: number | undefined;
  /** Time a human last replied: UNIX timestamp; unit not documented. */
  humanLastRepliedAt?: number | undefined;
  /** Time of the pending reply of the AI: UNIX timestamp; unit not documented. */
  pendingAiReplyAt?: number | undefined;
  /** The one the chat is assigned to. */
  chatAssignedTo?: string | undefined;
  /** IDs of those the chat is assigned to. */
  chatAssignedToIds?: string[] | undefined;
  /** The users the conversation is assigned to. */
  assignedToUsers?: Assignee[] | undefined;
  /** The user the conversation is assigned to. */
  assignedTo?: Assignee | undefined;
  /** Id of the user to notify. */
  notifyToUserId?: string | undefined;
  /** Key of the team that was requested. */
  requestedTeamKey?: string | undefined;
  /** The one who delegated the chat. */
  delegatedBy?: string | undefined;
  /** Time the chat was delegated: UNIX timestamp; unit not documented. */
  delegatedAt?: number | undefined;
  /** The handoffs to humans so far. */
  handoffHistory?: HandoffRecord[] | undefined;
  /** The conversation is archived. */
  isArchived?: boolean | undefined;
  /** Time of the archiving: UNIX timestamp; unit not documented. */
  archivedAt?: number | undefined;
  /** The one who archived the conversation. */
  archivedBy?: string | undefined;
  /** The conversation is resolved. */
  isResolved?: boolean | undefined;
  /** Time of the resolution: UNIX timestamp; unit not documented. */
  resolvedAt?: number | undefined;
  /** The one who resolved the conversation. */
  resolvedBy?: string | undefined;
  /** Email of the one who resolved the conversation. */
  resolvedByEmail?: string | undefined;
  /** Id of the assignee at the last resolution. */
  lastResolvedAssigneeId?: string | undefined;
  /** Time of the reopening: UNIX timestamp; unit not documented. */
  reopenedAt?: number | undefined;
  /** Reason of the reopening. */
  reopenReason?: string | undefined;
  /** Answer of the end user to the satisfaction survey. */
  csat?: Csat | undefined;
  // Note, heat, CRM and funnel.

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
  /** Whether the AI engages in an inbound conversation, and why. */
  inboundEngagementState?: InboundEngagementState | undefined;
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
  stage: z.optional(openEnum<'new'>()),
  value: number,
  ID: expectedText,
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
  externalFlowV4Session: z.optional(ExternalFlowV4SessionSchema),
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
  humanClaimedAt: number,
  humanLastRepliedAt: number,
  pendingAiReplyAt: number,
  chatAssignedTo: text,
  chatAssignedToIds: texts,
  assignedToUsers: z.optional(z.array(AssigneeSchema)),
  assignedTo: z.optional(AssigneeSchema),
  notifyToUserId: text,
  requestedTeamKey: text,
  delegatedBy: text,
  delegatedAt: number,
  handoffHistory: z.optional(z.array(HandoffRecordSchema)),
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
  csat: z.optional(CsatSchema),
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
}));
