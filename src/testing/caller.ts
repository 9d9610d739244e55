import type { Region } from '../regions.js';
import type { FakeAgent, FakeWorkspace } from './state.js';

/** Whose secret a request carries (document, 5.2): that of a workspace, or that of an agent. */
export type Caller =
  | { readonly kind: 'workspace'; readonly region: Region; readonly workspace: FakeWorkspace }
  | {
      readonly kind: 'agent';
      readonly region: Region;
      readonly workspace: FakeWorkspace;
      readonly agent: FakeAgent;
    };
