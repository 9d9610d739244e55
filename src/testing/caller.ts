import type { Region } from '../ground/regions.js';
import type { FakeAgent, FakeWorkspace } from './state.js';

/** Whose secret a request carries (document, 5.2): that of a workspace, or that of an agent. */
export type Caller =
  | {
      /** A workspace secret. */
      readonly kind: 'workspace';
      /** The region whose secret it is. */
      readonly region: Region;
      /** The workspace whose secret it is. */
      readonly workspace: FakeWorkspace;
    }
  | {
      /** An agent secret. */
      readonly kind: 'agent';
      /** The region whose secret it is. */
      readonly region: Region;
      /** The workspace that the agent belongs to. */
      readonly workspace: FakeWorkspace;
      /** The agent whose secret it is. */
      readonly agent: FakeAgent;
    };
