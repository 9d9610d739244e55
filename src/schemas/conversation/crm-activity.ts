import * as z from 'zod/mini';
import { dictionary, flag, text } from '../leaf.js';
import { openObject } from '../object.js';
import { type OpenEnum, openEnum } from '../open-enum.js';

/** One note in the history of a CRM activity (document, 2.6, notesHistory). */
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

/** One CRM activity of a conversation (document, 2.6, crmActivities). */
export interface CrmActivity {
  /** Type of the activity. The document shows `Message`. */
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
  /** First channel. The document shows `LinkedIn`. */
  firstChannel?: OpenEnum<'LinkedIn'> | undefined;
  /** Second channel. The document shows `LinkedIn`. */
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
