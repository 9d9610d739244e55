import { text } from '../leaf.js';
import { openObject } from '../object.js';

/** Where a conversation stands among the nodes of its agent (document, 2.6, nodesInfo). */
export interface NodesInfo {
  /** The node the conversation is at. */
  currentNode?: string | undefined;
}

/** Schema of {@link NodesInfo}. */
export const NodesInfoSchema = /* @__PURE__ */ openObject(() => ({ currentNode: text }));
