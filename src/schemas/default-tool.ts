import * as z from 'zod/mini';
import { flag, text, texts } from './fields.js';
import { openObject } from './object.js';

/** An entry of the catalogue of built-in tools (specification, 2.5). */
export interface DefaultTool {
  /**
   * Tool id, such as `web-search`, `human-handoff` or `end-call`. For `runtime_auto` the specification gives names
   * only.
   */
  id?: string | undefined;
  /** Name of the tool. */
  name?: string | undefined;
  /** Description of the tool. */
  description?: string | undefined;
  /** Notes; not described further. */
  notes?: string | undefined;
  /**
   * - `assignable_system`: enabled on an agent by listing the tool id in `nodes[].toolsIds` on an agent update.
   * - `runtime_auto`: injected by the LLM runtime, not created through the Tools operations.
   */
  kind?: 'assignable_system' | 'runtime_auto' | undefined;
  /** By its name, the tool can be assigned through `nodes[].toolsIds`. */
  assignableViaToolsIds?: boolean | undefined;
  /** IDs of the tool's variables. */
  variablesIds?: string[] | undefined;
  /** Channels of the tool; values are not shown. */
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
