import * as z from 'zod/mini';
import { flag, text, texts } from './fields.js';
import { openObject } from './object.js';

// The doc comments are the words of openapi.json, up to their first tag.

/** An entry of the catalogue of built-in tools (specification, 2.5). */
export interface DefaultTool {
  /**
   * Tool id, such as `web-search`, `human-handoff` or `end-call`. The specification shows names, not ids, of
   * `runtime_auto` tools.
   */
  id?: string | undefined;
  /** Name of the tool. */
  name?: string | undefined;
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
  kind?: 'assignable_system' | 'runtime_auto' | undefined;
  /** Whether the tool can be assigned through `nodes[].toolsIds`. */
  assignableViaToolsIds?: boolean | undefined;
  /** Ids of the tool's variables. */
  variablesIds?: string[] | undefined;
  /** Channels of the tool. */
  channels?: string[] | undefined;
}

/** Schema of {@link DefaultTool}. */
export const DefaultToolSchema = /* @__PURE__ */ openObject(() => ({
  id: text,
  name: text,
  description: text,
  notes: text,
  kind: z.optional(z.enum(['assignable_system', 'runtime_auto'])),
  assignableViaToolsIds: flag,
  variablesIds: texts,
  channels: texts,
}));
