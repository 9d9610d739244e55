import * as z from 'zod/mini';
import { flag, number, text, texts } from '../leaf.js';
import { type Assignee, AssigneeSchema } from './assignee.js';
import { type Csat, CsatSchema } from './csat.js';
import { type HandoffRecord, HandoffRecordSchema } from './handoff-record.js';

/** Who handles a conversation, up to its end (document, 2.6: human takeover, assignment, archive and resolution). */
export interface ConversationHandling {
  /** Time a human claimed the conversation: UNIX timestamp; unit not documented. */
  humanClaimedAt?: number | undefined;
  /** Time a human last replied: UNIX timestamp; unit not documented. */
  humanLastRepliedAt?: number | undefined;
  /** Time of the pending reply of the AI: UNIX timestamp; unit not documented. */
  pendingAiReplyAt?: number | undefined;
  /** Whom the chat is assigned to. */
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
  /** Who delegated the chat. */
  delegatedBy?: string | undefined;
  /** Time the chat was delegated: UNIX timestamp; unit not documented. */
  delegatedAt?: number | undefined;
  /** The handoffs to humans so far. */
  handoffHistory?: HandoffRecord[] | undefined;
  /** The conversation is archived. */
  isArchived?: boolean | undefined;
  /** Time of the archiving: UNIX timestamp; unit not documented. */
  archivedAt?: number | undefined;
  /** Who archived the conversation. */
  archivedBy?: string | undefined;
  /** The conversation is resolved. */
  isResolved?: boolean | undefined;
  /** Time of the resolution: UNIX timestamp; unit not documented. */
  resolvedAt?: number | undefined;
  /** Who resolved the conversation. */
  resolvedBy?: string | undefined;
  /** Email of who resolved the conversation. */
  resolvedByEmail?: string | undefined;
  /** Id of the assignee at the last resolution. */
  lastResolvedAssigneeId?: string | undefined;
  /** Time of the reopening: UNIX timestamp; unit not documented. */
  reopenedAt?: number | undefined;
  /** Why the conversation was reopened. */
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
