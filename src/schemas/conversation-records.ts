import * as z from 'zod/mini';
import { dictionary, flag, number, type OpenEnum, openEnum, text, texts } from './fields.js';
import { openObject } from './object.js';

// The records inside a conversation. The specification gives the names and types of their fields (2.6). Their
// meaning is read from the names, unless a comment says otherwise.

/** The session of a conversation at the external flow-builder platform (specification, 2.6, externalFlowV4Session). */
export interface ExternalFlowV4Session {
  /** Key of the session: `redact()` masks it. */
  sessionKey?: string | undefined;
  /** Id of the project. */
  projectId?: string | undefined;
  /** Alias of the environment; not described further. */
  environmentAlias?: string | undefined;
  /** Time of the last update: UNIX timestamp; unit not documented. */
  updatedAt?: number | undefined;
  /** By its name, the runtime that was resolved. `legacy` is shown; other values are not. */
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

/** By its name, the call at the external voice provider (specification, 2.6, voiceprov). */
export interface VoiceprovCall {
  /** Cost of the call; unit not documented. */
  cost?: number | undefined;
  /** Duration of the call; unit not documented. */
  callDuration?: number | undefined;
  /** URL of the recording. */
  recordingUrl?: string | undefined;
  /** By its name, URL of a synchronised recording; not described further. */
  syncRecordingUrl?: string | undefined;
  /** Telephone number of the caller. */
  callerPhoneNumber?: string | undefined;
  /** Telephone number of the callee. */
  calleePhoneNumber?: string | undefined;
  /** Status of the call. Values are not shown. */
  callStatus?: string | undefined;
  /** Error of the call. Values are not shown. */
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
  /** By its name, a URL to listen in: `redact()` masks it. */
  listenUrl?: string | undefined;
  /** By its name, a UNIX time of the listen URL; what it marks and its unit are not documented. */
  listenUrlUNIX?: number | undefined;
}

/** Schema of {@link VoiceSession}. */
export const VoiceSessionSchema = /* @__PURE__ */ openObject(() => ({
  latestSessionId: text,
  listenUrl: text,
  listenUrlUNIX: number,
}));

/** The cost of a conversation, by part (specification, 2.6, detailedCost). Units are not documented. */
export interface DetailedCost {
  /** Credits consumed in total; not described further. */
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

/** By its name, the position among the nodes of the agent (specification, 2.6, nodesInfo). */
export interface NodesInfo {
  /** Current node; whether this is an id or a name is not documented. */
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
  /** Cost of all turns; by its name, in USD. */
  cumulativeUsd?: number | undefined;
  /** Input tokens of the last turn. */
  lastTurnInputTokens?: number | undefined;
  /** Output tokens of the last turn. */
  lastTurnOutputTokens?: number | undefined;
  /** Tokens of the last turn. */
  lastTurnTotalTokens?: number | undefined;
  /** Cost of the last turn; by its name, in USD. */
  lastTurnUsd?: number | undefined;
  /** Context window in the last turn; unit not documented. */
  lastTurnContextWindow?: number | undefined;
  /** By its name, the price of 1,000 input tokens in the last turn, in USD. */
  lastTurnInputUsdPer1k?: number | undefined;
  /** By its name, the price of 1,000 output tokens in the last turn, in USD. */
  lastTurnOutputUsdPer1k?: number | undefined;
  /** Time of the last turn: UNIX timestamp; unit not documented. */
  lastTurnTs?: number | undefined;
  /** Id of the model of the last turn. */
  lastTurnModelId?: string | undefined;
  /** By its name, the usage by model; its fields are not documented. */
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
  /** Photo URL. */
  photoUrl?: string | undefined;
  /** A note; not described further. */
  note?: string | undefined;
  /** Time of the assignment; format not documented. */
  assignedAt?: string | undefined;
  /** Status of the assignee. `pending` is shown; other values and the transitions are not (3). */
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

/** One entry of the handoff history (specification, 2.6, handoffHistory). */
export interface HandoffRecord {
  /** Time of the request: UNIX timestamp; unit not documented. */
  requestedAt?: number | undefined;
  /** Time of the acceptance: UNIX timestamp; unit not documented. */
  acceptedAt?: number | undefined;
  /** Time of the completion: UNIX timestamp; unit not documented. */
  completedAt?: number | undefined;
  /** By its name, the one who accepted; whether this is an id or a name is not documented. */
  acceptedBy?: string | undefined;
  /** Organisation id. */
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

/** By its name, an answer to a customer-satisfaction survey (specification, 2.6, csat). */
export interface Csat {
  /** Satisfaction; by its name, out of 10. */
  satisfaction10?: number | undefined;
  /** Ease; by its name, out of 10. */
  ease10?: number | undefined;
  /** A comment; not described further. */
  comment?: string | undefined;
  /** Time of the submission: UNIX timestamp; unit not documented. */
  submittedAt?: number | undefined;
  /** A channel; not described further. */
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
  /** Agent id; what the agent has to do with the note is not documented. */
  agentId?: string | undefined;
  /** Agent name. */
  agentName?: string | undefined;
  /** Time of the note; format not documented. */
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
  /** Type of the activity. `Message` is shown; other values are not. */
  type?: OpenEnum<'Message'> | undefined;
  /** Id of the activity. */
  id?: string | undefined;
  /** Title of the activity. */
  title?: string | undefined;
  /** A date; format not documented. */
  date?: string | undefined;
  /** Due date; format not documented. */
  dueDate?: string | undefined;
  /** By its name, the activity is completed. */
  completed?: boolean | undefined;
  /** By its name, someone has responded; who is not documented. */
  responded?: boolean | undefined;
  /** First channel. `LinkedIn` is shown; other values are not. */
  firstChannel?: OpenEnum<'LinkedIn'> | undefined;
  /** Second channel. `LinkedIn` is shown; other values are not. */
  secondChannel?: OpenEnum<'LinkedIn'> | undefined;
  /** First engaged; not described further. */
  firstEngaged?: boolean | undefined;
  /** Second engaged; not described further. */
  secondEngaged?: boolean | undefined;
  /** A note; not described further. */
  note?: string | undefined;
  /** History of the notes. */
  notesHistory?: CrmNote[] | undefined;
  /** Metadata; its fields are not documented. */
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
  /** By its name, the ECD is overdue. The abbreviation is not explained. */
  overdueECD?: boolean | undefined;
  /** By its name, an activity is overdue. */
  overdueActivity?: boolean | undefined;
  /** By its name, the lead is stale; when a lead is stale is not documented. */
  staleLead?: boolean | undefined;
  /** By its name, someone has responded; who is not documented. */
  responded?: boolean | undefined;
  /** By its name, a new handoff is assigned. */
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

/** By its name, the state of inbound engagement (specification, 2.6, inboundEngagementState). */
export interface InboundEngagementState {
  /** Time of the first decision: UNIX timestamp; unit not documented. */
  firstDecisionAt?: number | undefined;
  /** Time of the last decision: UNIX timestamp; unit not documented. */
  lastDecisionAt?: number | undefined;
  /** By its name, the first decision was to reply. */
  firstDecisionShouldReply?: boolean | undefined;
  /** By its name, the last decision was to reply. */
  lastDecisionShouldReply?: boolean | undefined;
  /** By its name, the AI owns the thread. */
  aiOwnedThread?: boolean | undefined;
  /** By its name, the thread is to be ignored. */
  ignoreThread?: boolean | undefined;
  /** Reason of the last decision. Values are not shown. */
  lastDecisionReason?: string | undefined;
  /** By its name, the last trigger. `phrase` is shown; other values are not. */
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
