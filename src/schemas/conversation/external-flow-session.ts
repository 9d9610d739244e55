import * as z from 'zod/mini';
import { number, text } from '../leaf.js';
import { openObject } from '../object.js';
import { type OpenEnum, openEnum } from '../open-enum.js';

/** The session of a conversation at the external flow-builder platform (document, 2.6, externalFlowV4Session). */
export interface ExternalFlowV4Session {
  /** Key of the session. Secret: `redact()` masks it. */
  sessionKey?: string | undefined;
  /** Id of the project. */
  projectId?: string | undefined;
  /** Alias of the environment. */
  environmentAlias?: string | undefined;
  /** Time of the last update: UNIX timestamp; unit not documented. */
  updatedAt?: number | undefined;
  /** The runtime that was resolved. The document shows `legacy`. */
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
