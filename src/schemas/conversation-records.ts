import * as z from 'zod/mini';
import { dictionary, flag, number, type OpenEnum, openEnum, text, texts } from './leaf.js';
import { openObject } from './object.js';

// The records inside a conversation.

/** The session of a conversation at the external flow-builder platform (specification, 2.6, externalFlowV4Session). */
export interface ExternalFlowV4Session {
  /** Key of the session. Secret: `redact()` masks it. */
  sessionKey?: string | undefined;
  /** Id of the project. */
  projectId?: string | undefined;
  /** Alias of the environment. */
  environmentAlias?: string | undefined;
  /** Time of the last update: UNIX timestamp; unit not documented. */
  updatedAt?: number | undefined;
  /** The runtime that was resolved. The specification shows `legacy`. */
  resolvedRuntime?: OpenEnum<'legacy'> | undefined;
}

/** Schema of {@link ExternalFlowV4Session}. */
export const ExternalFlowV4SessionSchema = /* @__PURE__ */ openObject(() => ({
  sessionKey: text,
  projectId: text,
  environmentAlias: text,
  updatedAt: number,
  resolvedRuntime: z.optional(openEnum<'legacy'>()),
}));

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

/** A user that a conversation is assigned to (specification, 2.6, assignee object). */
export interface Assignee {
  /** User id. */
  userId?: string | undefined;
  /** Name of the user. */
  name?: string | undefined;
  /** Email of the user. */
  email?: string | undefined;
  /** URL of the user's photo. */
  photoUrl?: string | undefined;
  /** Note on the assignment. */
  note?: string | undefined;
  /** Time of the assignment; format not documented. */
  assignedAt?: string | undefined;
  /** Status of the assignment. The specification shows `pending`; other values and the transitions are not shown. */
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
  status: z.optional(openEnum<'pending'>()),
}));

/** One handoff of a conversation to humans (specification, 2.6, handoffHistory). */
export interface HandoffRecord {
  /** Time of the request: UNIX timestamp; unit not documented. */
  requestedAt?: number | undefined;
  /** Time of the acceptance: UNIX timestamp; unit not documented. */
  acceptedAt?: number | undefined;
  /** Time of the completion: UNIX timestamp; unit not documented. */
  completedAt?: number | undefined;
  /** The one who accepted. */
  acceptedBy?: string | undefined;
  /** Organisation of the handoff. */
  organizationId?: string | undefined;
  /** Key of the team that was requested. */
  requestedTeamKey?: string | undefined;
  /** IDs of the teams. */
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

/** The answer of the end user to the satisfaction survey (specification, 2.6, csat). */
export interface Csat {
  /** Satisfaction; by its name, out of 10. */
  satisfaction10?: number | undefined;
  /** Ease; by its name, out of 10. */
  ease10?: number | undefined;
  /** Comment of the end user. */
  comment?: string | undefined;
  /** Time of the answer: UNIX timestamp; unit not documented. */
  submittedAt?: number | undefined;
  /** Channel of the answer. */
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

/** Whether the AI engages in an inbound conversation, and why (specification, 2.6, inboundEngagementState). */
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
