import type { Region } from '../ground/regions.js';
import type { DefaultTool } from '../schemas/default-tool.js';
import type { OrgClient } from '../schemas/org-client.js';
import type { Team } from '../schemas/team.js';
import type { Tool } from '../schemas/tool.js';
import type { Variable } from '../schemas/variable.js';
import type {
  FakeAgent,
  FakeConversation,
  FakeLead,
  FakeOrg,
  FakePhoneNumber,
  FakeWorkspace,
  MutableRegionState,
  NewAgent,
  NewConversation,
  NewDefaultTool,
  NewLead,
  NewOrg,
  NewPhoneNumber,
  NewTool,
  NewVariable,
  NewWorkspace,
} from './records.js';
import { type CollectionName, collections, conversationKey, existing, type World } from './state.js';

/**
 * Puts records into the fake. Each takes only what matters to the test and fills in the rest, with ids that are
 * the same in every run. An id that is there already is replaced.
 *
 * @throws {TypeError} When a record names another that is not there, when an agent has a variable with the key already
 *   (4.2), or when a number was released for good.
 *
 * @example
 * ```ts
 * import { createFakePlatform } from 'agent-platform-sdk/testing';
 *
 * const { add } = createFakePlatform({ seed: 'empty' });
 * add.workspace({ id: 'acme', secret: 'secret-of-acme' });
 * add.phoneNumber({ sid: 'PN1', imported: true });
 * add.agent({ id: 'bot' });
 * add.variable({ key: 'plan' });
 * add.tool({ id: 'crm_lookup' });
 * add.defaultTool({ id: 'web-search' });
 * add.conversation({ convoId: 'c1', record: { state: 'requested_chat' } });
 * add.lead({ id: 'lead_1' });
 * add.org({ id: 'acme_org' });
 * add.client({ orgId: 'acme_org', name: 'Dana' });
 * add.team({ orgId: 'acme_org', label: 'Support' });
 * ```
 */
export class RegionAdd {
  readonly #region: Region;
  readonly #world: World;

  constructor(region: Region, world: World) {
    this.#region = region;
    this.#world = world;
  }

  /** Adds a workspace: a primary one where the region has no other. */
  workspace(record: NewWorkspace = {}): FakeWorkspace {
    const { workspaces } = this.#state;
    const id = record.id ?? this.#newId('workspaces');
    const isOtherPrimary = (other: FakeWorkspace) => other.id !== id && other.isPrimary;
    const workspace = {
      id,
      secret: record.secret ?? `fake-workspace-secret-of-${id}`,
      isPrimary: record.isPrimary ?? ![...workspaces.values()].some(isOtherPrimary),
      ownerIds: [...(record.ownerIds ?? [`owner_${this.#region}`])],
      memberIds: [...(record.memberIds ?? [])],
    };
    return put(workspaces, id, workspace);
  }

  /** Adds an agent to a workspace. */
  agent(record: NewAgent = {}): FakeAgent {
    const { agents, workspaces } = this.#state;
    const id = record.id ?? this.#newId('agents');
    const workspaceId = existing(this.#region, 'workspace', workspaces, record.workspaceId).id;
    return put(agents, id, {
      id,
      name: record.name ?? id,
      secret: record.secret ?? `fake-agent-secret-of-${id}`,
      workspaceId,
      platform: record.platform ?? 'vg',
      advanced: { ...record.advanced },
    });
  }

  /** Adds an organisation of a workspace, with its clients and teams. */
  org(record: NewOrg = {}): FakeOrg {
    const { orgs, workspaces } = this.#state;
    const id = record.id ?? this.#newId('orgs');
    const workspaceId = existing(this.#region, 'workspace', workspaces, record.workspaceId).id;
    put(orgs, id, { id, workspaceId, clients: [], teams: [] });
    for (const client of record.clients ?? []) this.client({ ...client, orgId: id });
    for (const team of record.teams ?? []) this.team({ ...team, orgId: id });
    return this.#org(id);
  }

  /** Adds a client to an organisation. */
  client(record: Partial<OrgClient> = {}): OrgClient {
    const org = this.#org(record.orgId);
    const isTaken = (id: string): boolean => org.clients.some((client) => client.ID === id);
    const ID = record.ID ?? this.#world.ids.next('client', this.#region, isTaken);
    const client: OrgClient = { name: ID, ...structuredClone(record), ID, orgId: org.id };
    const others = org.clients.filter((other) => other.ID !== ID);
    put(this.#state.orgs, org.id, { ...org, clients: [...others, client] });
    return client;
  }

  /** Adds a team to an organisation. */
  team(record: Partial<Team> = {}): Team {
    const org = this.#org(record.orgId);
    const isTaken = (id: string): boolean => org.teams.some((team) => team.ID === id);
    const ID = record.ID ?? this.#world.ids.next('team', this.#region, isTaken);
    const team: Team = { key: ID, memberIds: [], ...structuredClone(record), ID, orgId: org.id };
    const others = org.teams.filter((other) => other.ID !== ID);
    put(this.#state.orgs, org.id, { ...org, teams: [...others, team] });
    return team;
  }

  /** Adds a variable to an agent. */
  variable(record: NewVariable = {}): Variable {
    const { variables } = this.#state;
    const id = record.id ?? this.#newId('variables');
    const agentId = this.#agentId(record.agentId);
    const key = record.key ?? id;
    checkKeyIsFree(variables, agentId, key, id);
    const { type = this.#world.choices.variableType, userId = this.#ownerOf(agentId), ...rest } = record;
    return put(variables, id, { ...structuredClone(rest), id, key, type, agentId, userId });
  }

  /** Adds a tool. */
  tool(record: NewTool = {}): Tool {
    const { tools } = this.#state;
    const id = record.id ?? this.#newId('tools');
    const agentId = this.#agentId(record.agentId);
    return put(tools, id, { name: id, ...structuredClone(record), id, agentId });
  }

  /** Adds a tool to the default catalogue. */
  defaultTool(record: NewDefaultTool = {}): DefaultTool {
    const { defaultTools } = this.#state;
    const id = record.id ?? this.#newId('defaultTools');
    return put(defaultTools, id, { name: id, kind: 'assignable_system', ...structuredClone(record), id });
  }

  /** Adds a conversation to an agent. */
  conversation(conversation: NewConversation = {}): FakeConversation {
    const { conversations } = this.#state;
    const agentId = this.#agentId(conversation.agentId);
    const isTaken = (id: string): boolean => conversations.has(conversationKey(agentId, id));
    const convoId = conversation.convoId ?? this.#newId('conversations', isTaken);
    const ID = this.#world.choices.conversationId(agentId, convoId);
    const record = { ID, userID: ID, ...structuredClone(conversation.record) };
    return put(conversations, conversationKey(agentId, convoId), { agentId, convoId, record });
  }

  /** Adds a lead to an agent. */
  lead(record: NewLead = {}): FakeLead {
    const { leads } = this.#state;
    const id = record.id ?? this.#newId('leads');
    return put(leads, id, { id, agentId: this.#agentId(record.agentId) });
  }

  /** Adds a telephone number to a workspace. */
  phoneNumber(record: NewPhoneNumber = {}): FakePhoneNumber {
    const { phoneNumbers, releasedForGood, workspaces } = this.#state;
    const isTaken = (id: string): boolean => phoneNumbers.has(id) || releasedForGood.has(id);
    const sid = record.sid ?? this.#newId('phoneNumbers', isTaken);
    if (releasedForGood.has(sid)) throw new TypeError(`The number "${sid}" was released for good (4.3).`);
    const workspaceId = existing(this.#region, 'workspace', workspaces, record.workspaceId).id;
    return put(phoneNumbers, sid, { sid, imported: record.imported ?? false, workspaceId });
  }

  get #state(): MutableRegionState {
    return this.#world.state[this.#region];
  }

  #newId(name: CollectionName, isTaken = (id: string): boolean => this.#state[name].has(id)): string {
    return this.#world.ids.next(collections[name].idPrefix, this.#region, isTaken);
  }

  /** The user that a variable of an agent belongs to: the first owner of its workspace. */
  #ownerOf(agentId: string): string {
    const { agents, workspaces } = this.#state;
    const workspace = workspaces.get(agents.get(agentId)?.workspaceId ?? '');
    return workspace?.ownerIds[0] ?? `owner_${this.#region}`;
  }

  #agentId(named: string | undefined): string {
    return existing(this.#region, 'agent', this.#state.agents, named).id;
  }

  #org(named: string | undefined): FakeOrg {
    return existing(this.#region, 'org', this.#state.orgs, named);
  }
}

/** A key is unique among the variables of an agent (4.2). */
export function checkKeyIsFree(
  variables: ReadonlyMap<string, Variable>,
  agentId: string | undefined,
  key: string,
  id: string,
): void {
  const hasKey = (other: Variable) => other.agentId === agentId && other.key === key && other.id !== id;
  if (![...variables.values()].some(hasKey)) return;
  throw new TypeError(`The agent "${agentId}" has a variable with the key "${key}" already (4.2).`);
}

function put<Value>(records: Map<string, Value>, id: string, value: Value): Value {
  records.set(id, value);
  return value;
}

/** Adds records to region `eu`, or to the region that is named: `add.tool(…)`, `add.na.tool(…)`. */
export interface FakeAdd extends RegionAdd {
  /** Adds to the region `eu`. */
  readonly eu: RegionAdd;
  /** Adds to the region `na`. */
  readonly na: RegionAdd;
}

export function createAdd(world: World): FakeAdd {
  const [eu, na] = [new RegionAdd('eu', world), new RegionAdd('na', world)];
  return Object.assign(new RegionAdd('eu', world), { eu, na });
}
