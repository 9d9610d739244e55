import * as z from 'zod/v4/mini';
import { anything, flag, known, type OpenEnum, requiredText, text, texts } from './fields.js';
import { openObject } from './object.js';
import { type VariableField, VariableFieldSchema } from './variable.js';

// The doc comments are the words of openapi.json, up to their first tag.

/**
 * A capability that an agent can call, with its full configuration (specification, 2.4).
 *
 * Where the specification gives only names and types, the meanings are read from the names.
 *
 * @remarks The type describes the specification. A field can arrive with another type, unless you call with
 * `validation: 'strict'`: see `drift` of `.withResponse()`.
 */
export interface Tool {
  /**
   * Tool id.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  id: string;
  /** Name of the tool. */
  name?: string | undefined;
  /** Description of the tool. */
  description?: string | undefined;
  /** Whether the tool is a default one, built in. */
  isDefault?: boolean | undefined;
  /** HTTP method of the call. `GET` is the only value listed. */
  method?: OpenEnum<'GET'> | undefined;
  /** URL the tool calls. */
  serverUrl?: string | undefined;
  /**
   * Secret attached to the server URL.
   *
   * @remarks `redact()` masks it.
   */
  serverUrlSecret?: string | undefined;
  /** When the tool was created. The API specification doesn't describe the format. */
  createdAt?: string | undefined;
  /** When the tool was last updated. The API specification doesn't describe the format. */
  updatedAt?: string | undefined;
  /** Whether the tool is disabled. */
  disabled?: boolean | undefined;
  /** Whether the tool is mirrored at the external voice provider. */
  isVoiceprovTool?: boolean | undefined;
  /** Id at the external voice provider. */
  voiceprovId?: string | undefined;
  /** Whether the tool is global. */
  isGlobal?: boolean | undefined;
  /** Ids of the tool's variables. */
  variablesIds?: string[] | undefined;
  /** Agent id. */
  agentId?: string | undefined;
  /** User id. */
  userId?: string | undefined;
  /** Backchannelling phrases. */
  backchannellingPhrases?: string[] | undefined;
  /** Settings of the tool: any JSON value. */
  toolsSettings?: unknown;
  /** Field configuration of the tool. */
  fields?: VariableField[] | undefined;
  /** Channels of the tool. */
  channels?: OpenEnum<'web-chat'>[] | undefined;
}

/** Schema of {@link Tool}. */
export const ToolSchema = /* @__PURE__ */ openObject(() => ({
  id: requiredText,
  name: text,
  description: text,
  isDefault: flag,
  method: known<'GET'>(text),
  serverUrl: text,
  serverUrlSecret: text,
  createdAt: text,
  updatedAt: text,
  disabled: flag,
  isVoiceprovTool: flag,
  voiceprovId: text,
  isGlobal: flag,
  variablesIds: texts,
  agentId: text,
  userId: text,
  backchannellingPhrases: texts,
  toolsSettings: anything,
  fields: z.optional(z.array(VariableFieldSchema)),
  channels: known<'web-chat'>(texts),
}));
