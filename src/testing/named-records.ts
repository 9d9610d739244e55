import { isObject } from '../ground/json.js';
import type { ConcernedRecord } from './reach.js';
import type { FakeRegionState } from './records.js';
import { conversationKey } from './state.js';

/** The parts of a request that can name a record. */
interface Naming {
  /** The endpoint's path: in `/agents/{agentId}/convos/{convoId}`, each parameter follows the name of its kind. */
  readonly template: string;
  readonly path: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const kindsInBodies = { workspaceId: 'workspaces', agentId: 'agents', phoneNumberSid: 'phoneNumbers' };

/** Finds the records that a request names, whether the operation is documented or one of the user's own. */
export function namedRecords({ template, path, body }: Naming, state: FakeRegionState): ConcernedRecord[] {
  const found: (ConcernedRecord | undefined)[] = [];
  let agentId = '';
  for (const [, kind = '', parameter = ''] of template.matchAll(/([^/]+)\/\{([^{}]+)\}/g)) {
    const id = path[parameter] ?? '';
    if (kind === 'agents') agentId = id;
    // A conversation's id is unique under its agent only.
    found.push(find(kind, kind === 'convos' ? conversationKey(agentId, id) : id, state));
  }
  for (const [field, kind] of Object.entries(kindsInBodies)) {
    const id = isObject(body) ? body[field] : undefined;
    if (typeof id === 'string') found.push(find(kind, id, state));
  }
  return found.filter((record) => record !== undefined);
}

function find(kind: string, key: string, state: FakeRegionState): ConcernedRecord | undefined {
  const ofWorkspace = (workspaceId: string | undefined) => ({ agentId: undefined, workspaceId });
  const ofAgent = (agentId: string | undefined) => ({
    agentId,
    workspaceId: state.agents.get(agentId ?? '')?.workspaceId,
  });
  switch (kind) {
    case 'workspaces': {
      const record = state.workspaces.get(key);
      return record && { kind: 'workspace', record, ...ofWorkspace(record.id) };
    }
    case 'orgs': {
      const record = state.orgs.get(key);
      return record && { kind: 'org', record, ...ofWorkspace(record.workspaceId) };
    }
    case 'phoneNumbers': {
      const record = state.phoneNumbers.get(key);
      return record && { kind: 'phoneNumber', record, ...ofWorkspace(record.workspaceId) };
    }
    case 'agents': {
      const record = state.agents.get(key);
      return record && { kind: 'agent', record, ...ofAgent(record.id) };
    }
    case 'variables': {
      const record = state.variables.get(key);
      return record && { kind: 'variable', record, ...ofAgent(record.agentId) };
    }
    case 'tools': {
      const record = state.tools.get(key);
      return record && { kind: 'tool', record, ...ofAgent(record.agentId) };
    }
    case 'convos': {
      const record = state.conversations.get(key);
      return record && { kind: 'conversation', record, ...ofAgent(record.agentId) };
    }
    case 'leads': {
      const record = state.leads.get(key);
      return record && { kind: 'lead', record, ...ofAgent(record.agentId) };
    }
    default:
      return undefined;
  }
}
