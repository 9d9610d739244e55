import type { DefaultTool } from '../schemas/default-tool.js';

/**
 * The ids and names that 2.5 shows. It gives ids for the assignable tools and names for the others; here each
 * entry has one word for both, which is a choice.
 */
export const defaultCatalogue: readonly DefaultTool[] = [
  ...['web-search', 'human-handoff', 'end-call'].map(assignable),
  ...['KB-Search', 'Structured-Search', 'present', 'resolve_caller_timezone'].map(automatic),
];

function assignable(id: string): DefaultTool {
  return { id, name: id, kind: 'assignable_system', assignableViaToolsIds: true };
}

function automatic(id: string): DefaultTool {
  return { id, name: id, kind: 'runtime_auto', assignableViaToolsIds: false };
}
