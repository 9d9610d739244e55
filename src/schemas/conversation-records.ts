import * as z from 'zod/v4/mini';
import { dictionary, flag, known, number, type OpenEnum, text, texts } from './fields.js';
import { openObject } from './object.js';

// The records inside a conversation: what `Conversation` says of its fields holds here too. The doc comments
// are the words of openapi.json, up to their first tag.

/** A session at the external flow-builder platform (specification, 2.6, externalFlowV4Session). */
export interface ExternalFlowV4Session {
  /**
   * Key of the session.
   *
   * @remarks `redact()` masks it: that it is a secret is read from its name.
   */
  sessionKey?: string | undefined;
  /** Id of the project. */
  projectId?: string | undefined;
  /** Alias of the environment. */
  environmentAlias?: string | undefined;
  /** When the session was last updated: UNIX timestamp. */
  updatedAt?: number | undefined;
  /** Runtime that was resolved. */
  resolvedRuntime?: OpenEnum<'legacy'> | undefined;
}

/** Schema of {@link ExternalFlowV4Session}. */
export const ExternalFlowV4SessionSchema = /* @__PURE__ */ openObject(() => ({
  sessionKey: text,
  projectId: text,
  environmentAlias: text,
  updatedAt: number,
  resolvedRuntime: known<'legacy'>(text),
}));

/** A call at the external voice provider (specification, 2.6, voiceprov). */
export interface VoiceprovCall {
  /** Cost of the call. */
  cost?: number | undefined;
  /** Duration of the call. */
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
  /**
   * URL to listen in.
   *
   * @remarks `redact()` masks it: that it is a secret is read from its name.
   */
  listenUrl?: string | undefined;
  /** UNIX timestamp of the listen URL. The API specification doesn't say what it marks. */
  listenUrlUNIX?: number | undefined;
}

/** Schema of {@link VoiceSession}. */
export const VoiceSessionSchema = /* @__PURE__ */ openObject(() => ({
  latestSessionId: text,
  listenUrl: text,
  listenUrlUNIX: number,
}));

/** The cost of a conversation, by part (specification, 2.6, detailedCost). */
export interface DetailedCost {
  /** Credits consumed in total. */
  totalCreditsConsumed?: number | undefined;
  /** Cost of speech generation. */
  speechGenCost?: number | undefined;
  /** Cost of the transcriber. */
  transcriberCost?: number | undefined;
  /** Cost of telephony. */
  telcoCost?: number | undefined;
  /** Cost of the LLM. */
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

/** The position among the nodes of the agent (specification, 2.6, nodesInfo). */
export interface NodesInfo {
  /** Current node: an id or a name. */
  currentNode?: string | undefined;
}

/** Schema of {@link NodesInfo}. */
export const NodesInfoSchema = /* @__PURE__ */ openObject(() => ({ currentNode: text }));

/** The token usage of a conversation, in all and in its last turn (specification, 2.6, tokenUsage). */
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
  /** Price of 1,000 input tokens in the last turn, in USD. */
  lastTurnInputUsdPer1k?: number | undefined;
  /** Price of 1,000 output tokens in the last turn, in USD. */
  lastTurnOutputUsdPer1k?: number | undefined;
  /** Time of the last turn: UNIX timestamp. */
  lastTurnTs?: number | undefined;
  /** Id of the model of the last turn. */
  lastTurnModelId?: string | undefined;
  /** Usage by model. The API specification doesn't describe its fields. */
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

/** A user that a conversation is assigned to (specification, 2.6, assignee object). */
export interface Assignee {
  /** User id. */
  userId?: string | undefined;
  /** Name of the user. */
  name?: string | undefined;
  /** Email of the user. */
  email?: string | undefined;
  /** URL of the photo. */
  photoUrl?: string | undefined;
  /** A note. */
  note?: string | undefined;
  /** When the user was assigned. */
  assignedAt?: string | undefined;
  /** Status of the assignee. The API specification doesn't say how one follows another (3). */
  status?: OpenEnum<'pending'> | undefined;
}

/** Schema of {@link Assignee}. */
export const AssigneeSchema = /* @__PURE__ */ openObject(() => ({
  userId: text,
  name: text,
  email: text,
  photoUrl: text,
  note: text,
  assignedAt: text,
  status: known<'pending'>(text),
}));

/** A handoff of a conversation (specification, 2.6, handoffHistory). */
export interface HandoffRecord {
  /** When the handoff was requested: UNIX timestamp. */
  requestedAt?: number | undefined;
  /** When it was accepted: UNIX timestamp. */
  acceptedAt?: number | undefined;
  /** When it was completed: UNIX timestamp. */
  completedAt?: number | undefined;
  /** Who accepted it: an id or a name. */
  acceptedBy?: string | undefined;
  /** Organisation id. */
  organizationId?: string | undefined;
  /** Key of the team that was requested. */
  requestedTeamKey?: string | undefined;
  /** Ids of the teams. */
  teamIds?: string[] | undefined;
  /** Keys of the teams. */
  teamKeys?: string[] | undefined;
}

/** Schema of {@link HandoffRecord}. */
export const HandoffRecordSchema = /* @__PURE__ */ openObject(() => ({
  requestedAt: number,
  acceptedAt: number,
  completedAt: number,
  acceptedBy: text,
  organizationId: text,
  requestedTeamKey: text,
  teamIds: texts,
  teamKeys: texts,
}));

/** A response to a customer-satisfaction survey (specification, 2.6, csat). */
export interface Csat {
  /** Satisfaction out of 10. */
  satisfaction10?: number | undefined;
  /** Ease out of 10. */
  ease10?: number | undefined;
  /** Comment. */
  comment?: string | undefined;
  /** When it was submitted: UNIX timestamp. */
  submittedAt?: number | undefined;
  /** Channel of the survey. */
  channel?: string | undefined;
  /** Version of the survey. */
  surveyVersion?: number | undefined;
}

/** Schema of {@link Csat}. */
export const CsatSchema = /* @__PURE__ */ openObject(() => ({
  satisfaction10: number,
  ease10: number,
  comment: text,
  submittedAt: number,
  channel: text,
  surveyVersion: number,
}));

/** A note in the history of a CRM activity (specification, 2.6, notesHistory). */
export interface CrmNote {
  /** Text of the note. */
  text?: string | undefined;
  /** Id of the agent. The API specification doesn't say what it did. */
  agentId?: string | undefined;
  /** Name of the agent. */
  agentName?: string | undefined;
  /** When the note was written. */
  timestamp?: string | undefined;
}

/** Schema of {@link CrmNote}. */
export const CrmNoteSchema = /* @__PURE__ */ openObject(() => ({
  text,
  agentId: text,
  agentName: text,
  timestamp: text,
}));

/** A CRM activity of a conversation (specification, 2.6, crmActivities). */
export interface CrmActivity {
  /** Type of the activity. */
  type?: OpenEnum<'Message'> | undefined;
  /** Id of the activity. */
  id?: string | undefined;
  /** Title of the activity. */
  title?: string | undefined;
  /** Date of the activity. */
  date?: string | undefined;
  /** Due date. */
  dueDate?: string | undefined;
  /** Whether the activity is completed. */
  completed?: boolean | undefined;
  /** Whether someone has responded. The API specification doesn't say who. */
  responded?: boolean | undefined;
  /** First channel. */
  firstChannel?: OpenEnum<'LinkedIn'> | undefined;
  /** Second channel. */
  secondChannel?: OpenEnum<'LinkedIn'> | undefined;
  /** Whether the first engagement took place. */
  firstEngaged?: boolean | undefined;
  /** Whether the second engagement took place. */
  secondEngaged?: boolean | undefined;
  /** A note. */
  note?: string | undefined;
  /** History of the notes. */
  notesHistory?: CrmNote[] | undefined;
  /** Metadata. The API specification doesn't describe its fields. */
  metadata?: Record<string, unknown> | undefined;
}

const channel = /* @__PURE__ */ known<'LinkedIn'>(text);

/** Schema of {@link CrmActivity}. */
export const CrmActivitySchema = /* @__PURE__ */ openObject(() => ({
  type: known<'Message'>(text),
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
  /** Whether the ECD is overdue. The API specification doesn't say what ECD means. */
  overdueECD?: boolean | undefined;
  /** Whether an activity is overdue. */
  overdueActivity?: boolean | undefined;
  /** Whether the lead is stale. The API specification doesn't say when it is. */
  staleLead?: boolean | undefined;
  /** Whether someone has responded. The API specification doesn't say who. */
  responded?: boolean | undefined;
  /** Whether a new handoff is assigned. */
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

/** The state of inbound engagement (specification, 2.6, inboundEngagementState). */
export interface InboundEngagementState {
  /** When the first decision was made: UNIX timestamp. */
  firstDecisionAt?: number | undefined;
  /** When the last decision was made: UNIX timestamp. */
  lastDecisionAt?: number | undefined;
  /** Whether the first decision was to reply. */
  firstDecisionShouldReply?: boolean | undefined;
  /** Whether the last decision was to reply. */
  lastDecisionShouldReply?: boolean | undefined;
  /** Whether the AI owns the thread. */
  aiOwnedThread?: boolean | undefined;
  /** Whether the thread is ignored. */
  ignoreThread?: boolean | undefined;
  /** Reason for the last decision. */
  lastDecisionReason?: string | undefined;
  /** Last trigger. */
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
  lastTriggeredBy: known<'phrase'>(text),
}));
