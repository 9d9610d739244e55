import { number, requiredText, text, texts } from './fields.js';
import { closedObject, openObject } from './object.js';

// The specification gives names and types (2.1, 2.2); meanings are read from the names. It doesn't say in
// which unit times are. The doc comments are the words of openapi.json, up to their first tag.

/** A team of an organisation, used for the assignment of chats (specification, 2.2; closed). */
export interface Team {
  /**
   * Team id.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  ID: string;
  /** Organisation the team belongs to. */
  orgId?: string | undefined;
  /** Key of the team. */
  key?: string | undefined;
  /** Label of the team. */
  label?: string | undefined;
  /** Description of the team. */
  description?: string | undefined;
  /** Ids of the members. A client belongs to the teams that list it here (2.1). */
  memberIds?: string[] | undefined;
  /** Timestamp. The API specification doesn't say what it marks. */
  ts?: number | undefined;
  /** Timestamp of the last modification. */
  lastModified?: number | undefined;
}

/** Schema of {@link Team}. */
export const TeamSchema = /* @__PURE__ */ closedObject(() => ({
  ID: requiredText,
  orgId: text,
  key: text,
  label: text,
  description: text,
  memberIds: texts,
  ts: number,
  lastModified: number,
}));

/** A team in the record of a client (specification, 2.1, `teams`). */
export interface TeamSummary {
  /**
   * Team id.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
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
  ID: requiredText,
  key: text,
  label: text,
  description: text,
  orgId: text,
}));
