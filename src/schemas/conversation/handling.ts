import * as z from 'zod/mini';
import { flag, number, type OpenEnum, openEnum, text, texts } from '../leaf.js';
import { openObject } from '../object.js';

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

/** The people who handle a conversation (specification, 2.6: human takeover, assignment, archive and resolution). */
export interface ConversationHandling {
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
}

export const handlingFields = () => ({
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
});
