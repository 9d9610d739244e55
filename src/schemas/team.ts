import { expectedText, number, text, texts } from './fields.js';
import { closedObject, openObject } from './object.js';

// The specification gives the names and types of these fields (2.1, 2.2). Their meaning is read from the names.

/** A team of an organisation, used for the assignment of chats (specification, 2.2; closed). */
export interface Team {
  /** Team id. Expected, not required. */
  ID: string;
  /** Organisation the team belongs to. */
  orgId?: string | undefined;
  /** Key of the team; not described further. */
  key?: string | undefined;
  /** Label of the team. */
  label?: string | undefined;
  /** Description of the team. */
  description?: string | undefined;
  /** IDs of the members. A client belongs to the teams that list it here (2.1). */
  memberIds?: string[] | undefined;
  /** Timestamp; what it marks and its unit are not documented. */
  ts?: number | undefined;
  /** Timestamp of the last modification; unit not documented. */
  lastModified?: number | undefined;
}

/** Schema of {@link Team}. */
export const TeamSchema = /* @__PURE__ */ closedObject(() => ({
  ID: expectedText,
  orgId: text,
  key: text,
  label: text,
  description: text,
  memberIds: texts,
  ts: number,
  lastModified: number,
}));

/** A team inside a client (specification, 2.1, `teams`). */
export interface TeamSummary {
  /** Team id. Expected, not required. */
  ID: string;
  /** Key of the team. */
  key?: string | undefined;
  /** Label of the team. */
  label?: string | undefined;
  /** Description of the team. */
  description?: string | undefined;
  /** Organisation the team belongs to. */
  orgId?: string | undefined;
}

/** Schema of {@link TeamSummary}. */
export const TeamSummarySchema = /* @__PURE__ */ openObject(() => ({
  ID: expectedText,
  key: text,
  label: text,
  description: text,
  orgId: text,
}));
