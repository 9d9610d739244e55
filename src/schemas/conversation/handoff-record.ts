import { number, text, texts } from '../leaf.js';
import { openObject } from '../object.js';

/** One handoff of a conversation to humans (document, 2.6, handoffHistory). */
export interface HandoffRecord {
  /** Time of the request: UNIX timestamp; unit not documented. */
  requestedAt?: number | undefined;
  /** Time of the acceptance: UNIX timestamp; unit not documented. */
  acceptedAt?: number | undefined;
  /** Time of the completion: UNIX timestamp; unit not documented. */
  completedAt?: number | undefined;
  /** Who accepted. */
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
