import { ConfigurationError } from '../../../errors/index.js';
import type { DefaultTool } from '../../../schemas/default-tool.js';
import { byRegion, REGIONS, type Region } from '../../../utils/regions.js';
import { createFixtures } from '../../fixtures/fixtures.js';
import { collectionNames, keyOf } from './kinds.js';
import type { CollectionName, RegionRecords, StartRecords } from './records.js';
import type { RegionStore, Store } from './region-store.js';

/** The ids and secrets of the records that a fake begins with, in one region. */
export interface SeedHandles {
  /** The primary workspace, which cannot be deleted. */
  readonly workspaceId: string;
  /** The secret of the primary workspace: reaches everything here but the second workspace. */
  readonly workspaceSecret: string;
  /** A second workspace of the same owner, without records. Its own secret can delete it. */
  readonly secondWorkspaceId: string;
  /** The secret of the second workspace. */
  readonly secondWorkspaceSecret: string;
  /** An organisation of the primary workspace, with one client and one team. */
  readonly orgId: string;
  /** The organisation's client. */
  readonly clientId: string;
  /** The team that the client belongs to. */
  readonly teamId: string;
  /** An agent of the primary workspace. It owns the tool, variable, conversation and lead. */
  readonly agentId: string;
  /** The secret of the agent. */
  readonly agentSecret: string;
  /** A tool of the agent. */
  readonly toolId: string;
  /** A variable of the agent. */
  readonly variableId: string;
  /** The key that a second variable of the agent cannot have (4.2). */
  readonly variableKey: string;
  /** A conversation of the agent. */
  readonly convoId: string;
  /** A lead of the agent. */
  readonly leadId: string;
  /** A number rented by the platform, in the primary workspace. */
  readonly rentedNumberSid: string;
  /** A number of the customer's own telephony account, in the primary workspace. */
  readonly importedNumberSid: string;
}

/** The seed of both regions. */
export type Seed = { readonly [Name in Region]: SeedHandles };

export const seed: Seed = /* @__PURE__ */ byRegion((region) => ({
  workspaceId: `workspace_${region}_1`,
  workspaceSecret: `fake-workspace-secret-of-workspace_${region}_1`,
  secondWorkspaceId: `workspace_${region}_2`,
  secondWorkspaceSecret: `fake-workspace-secret-of-workspace_${region}_2`,
  orgId: `org_${region}_1`,
  clientId: `client_${region}_1`,
  teamId: `team_${region}_1`,
  agentId: `agent_${region}_1`,
  agentSecret: `fake-agent-secret-of-agent_${region}_1`,
  toolId: `tool_${region}_1`,
  variableId: `variable_${region}_1`,
  variableKey: 'customer_name',
  convoId: `convo_${region}_1`,
  leadId: `lead_${region}_1`,
  rentedNumberSid: `number_${region}_1`,
  importedNumberSid: `number_${region}_2`,
}));

/** Adds the records that a fake begins with. */
export function fillStore(
  store: Store,
  options: { readonly seed?: 'default' | 'empty' | undefined; readonly regions?: StartRecords | undefined },
): void {
  for (const region of REGIONS) {
    for (const entry of defaultCatalogue) store[region].defaultTools.put({ ...entry });
    if (options.seed !== 'empty') addRecords(region, store[region], seedRecords(region));
    addRecords(region, store[region], options.regions?.[region] ?? {});
  }
}

/**
 * The ids and names that 2.5 shows: assignable tools have ids, the others only names. A choice: the name of
 * an assignable tool is its id.
 */
const defaultCatalogue: readonly DefaultTool[] = [
  ...['web-search', 'human-handoff', 'end-call'].map(
    (id) => ({ id, name: id, kind: 'assignable_system', assignableViaToolsIds: true }) as const,
  ),
  ...['KB-Search', 'Structured-Search', 'present', 'resolve_caller_timezone'].map(
    (name) => ({ name, kind: 'runtime_auto', assignableViaToolsIds: false }) as const,
  ),
];

/** The records of one region, a row for each kind. The fixtures refer to the ids of the handles. */
function seedRecords(region: Region): Required<Omit<RegionRecords, 'defaultTools'>> {
  const handles = seed[region];
  const fixtures = createFixtures({ region });
  const record = fixtures.conversation({ ID: undefined, userID: undefined });
  return {
    workspaces: [
      { id: handles.workspaceId, memberIds: [handles.clientId] },
      { id: handles.secondWorkspaceId },
    ],
    orgs: [{ id: handles.orgId }],
    clients: [fixtures.orgClient({ ID: handles.clientId, teams: undefined })],
    teams: [fixtures.team({ ID: handles.teamId })],
    agents: [{ id: handles.agentId, name: 'Support agent' }],
    variables: [fixtures.variable({ id: handles.variableId, key: handles.variableKey })],
    tools: [fixtures.tool({ id: handles.toolId })],
    conversations: [{ convoId: handles.convoId, record }],
    leads: [{ id: handles.leadId }],
    phoneNumbers: [
      { sid: handles.rentedNumberSid, imported: false },
      { sid: handles.importedNumberSid, imported: true },
    ],
  };
}

function addRecords(region: Region, store: RegionStore, records: RegionRecords): void {
  const { workspaces = [] } = records;
  // Otherwise the first one would be primary too, before the one that is declared so.
  const others = workspaces.some(({ isPrimary }) => isPrimary) ? { isPrimary: false } : {};
  const all: RegionRecords = {
    ...records,
    workspaces: workspaces.map((workspace) => ({ ...others, ...workspace })),
  };
  const addList = <Name extends CollectionName>(name: Name): void => {
    const keys = new Set<string>();
    for (const [index, record] of (all[name] ?? []).entries()) {
      try {
        const key = keyOf(name, store[name].add(record));
        if (keys.has(key)) throw new ConfigurationError('Another record has this id.', { option: 'id' });
        keys.add(key);
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        const { id, ID, sid, convoId } = record as Readonly<Record<string, unknown>>;
        const place =
          `${region}.${name}[${index}] ${JSON.stringify(id ?? ID ?? sid ?? convoId) ?? ''}`.trim();
        throw new ConfigurationError(`${place}: ${error.message}`, { option: place, cause: error });
      }
    }
  };
  for (const name of collectionNames) addList(name);
}
