import * as z from 'zod/mini';
import { text } from '../leaf.js';
import { openObject } from '../object.js';
import { type OpenEnum, openEnum } from '../open-enum.js';

/** A user that a conversation is assigned to (document, 2.6, assignee object). */
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
  /** Status of the assignment. The document shows `pending`; other values and the transitions are not shown. */
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
