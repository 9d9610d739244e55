import * as z from 'zod/v4/mini';
import { flag, known, text, texts } from './fields.js';
import { openObject } from './object.js';
import {
  type DefaultToolId,
  type DefaultToolKind,
  DefaultToolKindSchema,
  type DefaultToolName,
} from './values.js';

// The doc comments are the words of openapi.json, up to their first tag.

/** An entry of the catalogue of built-in tools (specification, 2.5). */
export interface DefaultTool {
  /** Tool id. The specification shows ids of `assignable_system` tools only. */
  id?: DefaultToolId | undefined;
  /** Name of the tool. The specification shows names of `runtime_auto` tools only. */
  name?: DefaultToolName | undefined;
  /** Description of the tool. */
  description?: string | undefined;
  /** Notes on the tool. */
  notes?: string | undefined;
  /**
   * Kind of the tool:
   *
   * - `assignable_system`: enabled on an agent by listing the tool id in `nodes[].toolsIds` on an agent
   *   update.
   * - `runtime_auto`: injected by the LLM runtime, not created through the Tools operations.
   */
  kind?: DefaultToolKind | undefined;
  /** Whether the tool can be assigned through `nodes[].toolsIds`. */
  assignableViaToolsIds?: boolean | undefined;
  /** Ids of the tool's variables. */
  variablesIds?: string[] | undefined;
  /** Channels of the tool. */
  channels?: string[] | undefined;
}

/** Schema of {@link DefaultTool}. */
export const DefaultToolSchema = /* @__PURE__ */ openObject(() => ({
  id: known<DefaultToolId>(text),
  name: known<DefaultToolName>(text),
  description: text,
  notes: text,
  kind: z.optional(DefaultToolKindSchema),
  assignableViaToolsIds: flag,
  variablesIds: texts,
  channels: texts,
}));
