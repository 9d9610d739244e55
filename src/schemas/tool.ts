import * as z from 'zod/mini';
import { anything, expectedText, flag, type OpenEnum, openEnum, text, texts } from './fields.js';
import { openObject } from './object.js';
import { type VariableField, VariableFieldSchema } from './variable.js';

/** A capability that an agent can call, with its full configuration (specification, 2.4). */
export interface Tool {
  /** Tool id. Expected, not required. */
  id: string;
  /** Name of the tool. */
  name?: string | undefined;
  /** Description of the tool. */
  description?: string | undefined;
  /** By its name, the tool is a default one, built in. */
  isDefault?: boolean | undefined;
  /** By its name, the HTTP method of the call. `GET` is the only value listed; others are not shown. */
  method?: OpenEnum<'GET'> | undefined;
  /** URL the tool calls. */
  serverUrl?: string | undefined;
  /** Secret attached to the server URL: `redact()` masks it. */
  serverUrlSecret?: string | undefined;
  /** Time of creation; format not documented. */
  createdAt?: string | undefined;
  /** Time of the last update; format not documented. */
  updatedAt?: string | undefined;
  /** By its name, the tool is disabled. */
  disabled?: boolean | undefined;
  /** The tool is mirrored at the external voice provider. */
  isVoiceprovTool?: boolean | undefined;
  /** Id at the external voice provider. */
  voiceprovId?: string | undefined;
  /** By its name, the tool is global; not described further. */
  isGlobal?: boolean | undefined;
  /** IDs of the tool's variables. */
  variablesIds?: string[] | undefined;
  /** Agent id; not described further. */
  agentId?: string | undefined;
  /** User id; not described further. */
  userId?: string | undefined;
  /** Backchannelling phrases; not described further. */
  backchannellingPhrases?: string[] | undefined;
  /** Settings of the tool; any JSON value. */
  toolsSettings?: unknown;
  /** Field configuration of the tool. */
  fields?: VariableField[] | undefined;
  /** Channels of the tool. `web-chat` is a listed value; others are not shown. */
  channels?: OpenEnum<'web-chat'>[] | undefined;
}

/** Schema of {@link Tool}. */
export const ToolSchema = /* @__PURE__ */ openObject(() => ({
  id: expectedText,
  name: text,
  description: text,
  isDefault: flag,
  method: z.optional(openEnum<'GET'>()),
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
  channels: z.optional(z.array(openEnum<'web-chat'>())),
}));
