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
} from './fields.js';
import { openObject } from './object.js';

/**
 * A chat or call between an end user and an agent (specification, 2.6).
 *
 * The specification gives the names and types of these fields, in groups. Their meaning is read from name and
 * group, unless a comment says otherwise. Numeric times are UNIX timestamps; their unit is not shown. Most fields
 * are optional; which ones are required is not shown.
 *
 * @remarks Here every field but `ID` is optional. `redact()` masks `externalFlowV4Session.sessionKey` and
 * `voice.listenUrl`: that they are secrets is read from their names.
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
  /** Notes; not described further. */
  notes?: string | undefined;
  /** Profile picture of the end user; not described further. */
  userProfilePic?: string | undefined;
  /** Currency; of what is not documented. */
  currency?: string | undefined;
  /** Expected close date; format not documented. */
  expectedCloseDate?: string | undefined;
  /** Sub-industry; not described further. */
  subIndustry?: string | undefined;
  /** Source; not described further. */
  source?: string | undefined;
  /** Language; format not documented. */
  language?: string | undefined;
  /** LinkedIn; whether this is a URL or a name is not documented. */
  linkedIn?: string | undefined;
  /** Facebook; whether this is a URL or a name is not documented. */
  facebook?: string | undefined;
  /** Instagram; whether this is a URL or a name is not documented. */
  instagram?: string | undefined;
  /** Date of the demo; format not documented. */
  demoDate?: string | undefined;
  /** Time of the demo; format not documented. */
  demoTime?: string | undefined;
  /** Link to the demo. */
  demoLink?: string | undefined;
  /** Lost reason; by its group, why the lead was lost. */
  lostReason?: string | undefined;
  /** Date of the last activity; format not documented. */
  lastActivityDate?: string | undefined;
  /** Stage in the lead pipeline. `new` is shown; other values are not. */
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
  /** Image of the end user; not described further. */
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
  /** Country code; format not documented. */
  countryCode?: string | undefined;
  /** Platform of the end user; not described further. */
  userPlatform?: string | undefined;
  /** Id of the contact identity; not described further. */
  contactIdentityId?: string | undefined;
  /** Context from other channels; a string, not described further. */
  crossChannelContext?: string | undefined;
  /** By its name, the end user follows the business. */
  isFollowingBusiness?: boolean | undefined;
  /** By its name, a social account is verified. */
  socialVerified?: boolean | undefined;
  /** By its name, the end user is blocked. */
  isBlocked?: boolean | undefined;
  /** By its name, the conversation is a test. */
  isTest?: boolean | undefined;
  /** By its name, someone is typing; who is not documented. */
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
  /** Linked channels; values are not shown. */
  linkedChannels?: string[] | undefined;
  /** Session at the external flow-builder platform. */
  externalFlowV4Session?: ExternalFlowV4Session | undefined;
  /** By its group, the end user is a small-business contact. */
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
  /** By its name, the number of the end user's interactions in total. */
  totalUserInteractions?: number | undefined;
  /** Rating; by its name, out of 5. */
  ratingFrom5?: number | undefined;
  /** Average latency; unit not documented. */
  averageLatency?: number | undefined;
  /** Time of the last view: UNIX timestamp; unit not documented. */
  lastViewed?: number | undefined;
  /** Tags; not described further. */
  tags?: string[] | undefined;
  /** State. `requested_chat` and `ai-chatting` are shown; other values and the transitions are not (3). */
  state?: OpenEnum<'requested_chat' | 'ai-chatting'> | undefined;
  /** Language; how it differs from `language` is not documented. */
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
  /** By its name, the time of a pending reply of the AI: UNIX timestamp; unit not documented. */
  pendingAiReplyAt?: number | undefined;
  /** By its name, the one the chat is assigned to. Whether this is an id is not documented. */
  chatAssignedTo?: string | undefined;
  /** IDs of those the chat is assigned to. */
  chatAssignedToIds?: string[] | undefined;
  /** The users the conversation is assigned to. */
  assignedToUsers?: Assignee[] | undefined;
  /** The user the conversation is assigned to. */
  assignedTo?: Assignee | undefined;
  /** By its name, the id of the user to notify. */
  notifyToUserId?: string | undefined;
  /** Key of the team that was requested. */
  requestedTeamKey?: string | undefined;
  /** By its name, the one who delegated the chat. Whether this is an id is not documented. */
  delegatedBy?: string | undefined;
  /** Time the chat was delegated: UNIX timestamp; unit not documented. */
  delegatedAt?: number | undefined;
  /** History of the handoffs. */
  handoffHistory?: HandoffRecord[] | undefined;
  /** By its name, the conversation is archived. */
  isArchived?: boolean | undefined;
  /** Time of the archiving: UNIX timestamp; unit not documented. */
  archivedAt?: number | undefined;
  /** The one who archived it. Whether this is an id is not documented. */
  archivedBy?: string | undefined;
  /** By its name, the conversation is resolved. */
  isResolved?: boolean | undefined;
  /** Time of the resolution: UNIX timestamp; unit not documented. */
  resolvedAt?: number | undefined;
  /** The one who resolved it. Whether this is an id is not documented. */
  resolvedBy?: string | undefined;
  /** Email of the one who resolved it. */
  resolvedByEmail?: string | undefined;
  /** By its name, the id of the assignee at the last resolution. */
  lastResolvedAssigneeId?: string | undefined;
  /** Time of the reopening: UNIX timestamp; unit not documented. */
  reopenedAt?: number | undefined;
  /** Reason of the reopening. */
  reopenReason?: string | undefined;
  /** By its name, an answer to a customer-satisfaction survey. */
  csat?: Csat | undefined;
  // Note, heat, CRM and funnel.

  /** A note; not described further. */
  note?: string | undefined;
  /** Heat of the lead as a score; range not documented. */
  hotScore?: number | undefined;
  /** Heat of the lead as a label. `hot` is shown; other values are not. */
  hotLabel?: OpenEnum<'hot'> | undefined;
  /** CRM activities. */
  crmActivities?: CrmActivity[] | undefined;
  /** CRM alerts. */
  crmAlerts?: CrmAlerts | undefined;
  /** Score of the lead; 0 in the specification's sample. Range not documented. */
  leadScore?: number | undefined;
  /** Funnel steps that matched; any JSON values, empty in the specification's sample. */
  funnelStepsMatched?: unknown[] | undefined;
  /** Scores so far; any JSON values, empty in the specification's sample. */
  funnelScoreHistory?: unknown[] | undefined;
  /** By its name, the notification on the funnel was sent; false in the specification's sample. */
  funnelNotificationSent?: boolean | undefined;
  /** Time of the last evaluation: UNIX timestamp; unit not documented. */
  funnelLastEvaluated?: number | undefined;
  /** By its name, data extracted for the funnel; its fields are not documented. */
  funnelExtractedData?: Record<string, unknown> | undefined;
  /** Summary for the funnel. */
  funnelSummary?: string | undefined;
  /** By its name, the state of inbound engagement. */
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
