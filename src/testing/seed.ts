import { REGIONS, type Region } from '../ground/regions.js';
import type { DefaultTool } from '../schemas/default-tool.js';
import type { FakeAdd, RegionAdd } from './add.js';
import { checkNames } from './choices.js';
import { createFixtures } from './fixtures/fixtures.js';
import type { RegionRecords, StartRecords } from './records.js';
import { collectionNames, collections, type World } from './state.js';

/** The ids and secrets of the records that a fake begins with, in one region. All are made up. */
export interface SeedHandles {
  /** The primary workspace, which cannot be deleted. */
  readonly workspaceId: string;
  /** The secret of the primary workspace: reaches everything here but the second workspace. */
  readonly workspaceSecret: string;
  /** A second workspace of the same owner, with no records of its own: this one can be deleted, with its own secret. */
  readonly secondWorkspaceId: string;
  /** The secret of the second workspace. */
  readonly secondWorkspaceSecret: string;
  /** An organisation of the primary workspace, with one client and one team. */
  readonly orgId: string;
  /** The organisation's client. */
  readonly clientId: string;
  /** The team that the client belongs to. */
  readonly teamId: string;
  /** An agent of the primary workspace, which owns the tool, the variable, the conversation and the lead. */
  readonly agentId: string;
  /** Speaks for the agent. */
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
  /** Rented from the platform, in the primary workspace. */
  readonly rentedNumberSid: string;
  /** Of the customer's own telephony account, in the primary workspace. */
  readonly importedNumberSid: string;
}

/** The same in both regions, so that nothing but the region tells them apart. */
export type Seed = { readonly [Name in Region]: SeedHandles };

export const seed: Seed = { eu: /* @__PURE__ */ handlesOf('eu'), na: /* @__PURE__ */ handlesOf('na') };

function handlesOf(region: Region): SeedHandles {
  return {
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
  };
}

/** Refuses names that are not known: records under them would not be there, silently. */
export function checkStartRecords(regions: StartRecords = {}): void {
  checkNames('createFakePlatform: the region', regions, seed);
  for (const region of REGIONS) {
    checkNames(`createFakePlatform: the collection of regions.${region}`, regions[region] ?? {}, collections);
  }
}

/** Puts the records that the fake begins with into an empty world. */
export function fill(
  world: World,
  add: FakeAdd,
  options: { readonly seed?: 'default' | 'empty' | undefined; readonly regions?: StartRecords | undefined },
): void {
  for (const region of REGIONS) {
    const { defaultTools } = world.state[region];
    // Copies: what a handler changes in place is this fake's own.
    for (const entry of defaultCatalogue) defaultTools.set(entry.id ?? entry.name, { ...entry });
    if (options.seed !== 'empty') seedRegion(add[region], region);
    addRecords(add[region], options.regions?.[region] ?? {});
  }
}

/**
 * The ids and names that 2.5 shows: ids of the assignable tools, and names of the others, which have no id here. That the
 * first have their id as their name too is a choice.
 */
const defaultCatalogue: readonly (DefaultTool & { readonly name: string })[] = [
  ...['web-search', 'human-handoff', 'end-call'].map(assignable),
  ...['KB-Search', 'Structured-Search', 'present', 'resolve_caller_timezone'].map(automatic),
];

function assignable(id: string) {
  return { id, name: id, kind: 'assignable_system', assignableViaToolsIds: true } as const;
}

function automatic(name: string) {
  return { name, kind: 'runtime_auto', assignableViaToolsIds: false } as const;
}

/** Fills one region with a record of each kind. The fixtures name each other's ids as the handles do. */
function seedRegion(add: RegionAdd, region: Region): void {
  const handles = seed[region];
  const fixtures = createFixtures({ region });
  add.workspace({ id: handles.workspaceId, memberIds: [handles.clientId] });
  add.workspace({ id: handles.secondWorkspaceId });
  add.org({
    id: handles.orgId,
    clients: [fixtures.orgClient({ ID: handles.clientId, teams: undefined })],
    teams: [fixtures.team({ ID: handles.teamId })],
  });
  add.agent({ id: handles.agentId, name: 'Support agent' });
  add.variable(fixtures.variable({ id: handles.variableId, key: handles.variableKey }));
  add.tool(fixtures.tool({ id: handles.toolId }));
  const record = fixtures.conversation({ ID: undefined, userID: undefined });
  add.conversation({ convoId: handles.convoId, record });
  add.lead({ id: handles.leadId });
  add.phoneNumber({ sid: handles.rentedNumberSid, imported: false });
  add.phoneNumber({ sid: handles.importedNumberSid, imported: true });
}

function addRecords(add: RegionAdd, records: RegionRecords): void {
  const { workspaces = [] } = records;
  // Else the first would be primary too, before the one that says so is there.
  const others = workspaces.some(({ isPrimary }) => isPrimary) ? { isPrimary: false } : {};
  const all = { ...records, workspaces: workspaces.map((workspace) => ({ ...others, ...workspace })) };
  for (const name of collectionNames()) {
    const { one } = collections[name];
    // Each list holds what the method of its row takes; the compiler cannot follow the pair.
    for (const record of all[name] ?? []) add[one](record as never);
  }
}
