import { endpoints } from '../endpoints.js';
import { REGIONS } from '../regions.js';
import type { Clock } from '../webhooks/clock.js';
import { RegionAdd } from './add.js';
import { type BaseUrls, normalizeBaseUrls } from './base-urls.js';
import { defaultCatalogue } from './catalogue.js';
import { type FakeChoicesInput, resolveChoices } from './choices.js';
import { realClock } from './clock.js';
import { createFetch, type FakeFetch } from './fake-fetch.js';
import { Faults } from './faults/faults.js';
import { createFixtures } from './fixtures/index.js';
import type { FakeServer, ListenOptions } from './http-server.js';
import type { OperationName } from './operation.js';
import { operations } from './operations.js';
import type { RegionRecords, StartRecords } from './records.js';
import { type FakeRequest, RequestLog } from './request-log.js';
import type { Route } from './route.js';
import { type Seed, seed, seedRegion } from './seed.js';
import { Service } from './service.js';
import { clearState, type FakeState } from './state.js';
import { createWorld, type World } from './world.js';

/** What a fake is made with. Nothing is required. */
export interface FakePlatformOptions {
  /** Records to begin with, by region, on top of the seed. */
  readonly regions?: StartRecords | undefined;
  /**
   * `'default'`: a record of each kind in both regions, with the ids and secrets of `fake.seed`. `'empty'`: only
   * the catalogue of default tools, which is built in.
   */
  readonly seed?: 'default' | 'empty' | undefined;
  /** What to do where the document is silent. */
  readonly choices?: FakeChoicesInput | undefined;
  /** The addresses that `fake.fetch` and the msw handlers answer at. Default: two hosts under `.test`. */
  readonly baseUrls?: Partial<BaseUrls> | undefined;
  /** Where latencies and time limits take time from. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
  /** Called after each answer, for a log of one's own. */
  readonly onRequest?: ((request: FakeRequest) => void) | undefined;
}

/** Adds records to region `eu`, or to the region that is named: `add.tool(…)`, `add.na.tool(…)`. */
export interface FakeAdd extends RegionAdd {
  readonly eu: RegionAdd;
  readonly na: RegionAdd;
}

/** The service, in memory. */
export interface FakePlatform {
  /** The base address of each region in process, for `fake.fetch` and the msw handlers. */
  readonly baseUrls: BaseUrls;
  /** Ids and secrets of the records that the default seed begins with. */
  readonly seed: Seed;
  /**
   * Answers in process, without a server. Rejects as the runtime's `fetch` does: with the signal's reason when
   * aborted, with a `TypeError` where no connection would be made.
   */
  readonly fetch: FakeFetch;
  /** Starts a real HTTP server on loopback, which serves both regions. Any number can listen at once. */
  listen(options?: ListenOptions): Promise<FakeServer>;
  /** Every request so far, through every door, in the order of arrival. */
  readonly requests: readonly FakeRequest[];
  /** Puts records into the fake. */
  readonly add: FakeAdd;
  /** The live records, by region. */
  readonly state: FakeState;
  /** What goes wrong with the next calls. */
  readonly faults: Faults;
  /** Takes everything back to how it was when the fake was made; servers go on listening. */
  reset(): void;
}

/**
 * Makes a fake of the service: the documented operations with their documented rules, on records in memory. The
 * two regions share nothing. Where the document is silent, {@link FakeChoices} names what the fake does.
 *
 * @throws {TypeError} When `regions` holds a record that names one that is not there.
 *
 * @example
 * ```ts
 * import { AgentPlatform } from 'agent-platform-sdk';
 * import { createFakePlatform } from 'agent-platform-sdk/testing';
 *
 * const fake = createFakePlatform();
 * const { workspaceSecret, toolId } = fake.seed.eu;
 * const platform = new AgentPlatform({
 *   region: 'eu',
 *   token: workspaceSecret,
 *   baseUrls: fake.baseUrls,
 *   fetch: fake.fetch,
 * });
 *
 * const tool = await platform.tools.get(toolId);
 * ```
 */
export function createFakePlatform(options: FakePlatformOptions = {}): FakePlatform {
  const world = createWorld(resolveChoices(options.choices));
  const { clock = realClock } = options;
  const baseUrls = normalizeBaseUrls(options.baseUrls ?? {});
  const add = createAdd(world);
  const log = new RequestLog(options.onRequest ?? (() => undefined));
  const routes = (): readonly Route[] => documentedRoutes;
  const faults = new Faults(routes, clock);
  const service = new Service({
    world,
    log,
    routes,
    intercept: faults.intercept,
  });
  const fetch = createFetch(service, baseUrls, 'process');
  const fetchOverHttp = createFetch(service, baseUrls, 'http');
  const begin = (): void => fill(world, add, options);
  begin();
  return {
    baseUrls,
    seed,
    fetch,
    listen: async (listenOptions) => {
      // Loaded late: everything else works where there is no `node:http`.
      const { startServer } = await import('./http-server.js');
      return startServer({ fetch: fetchOverHttp, baseUrls }, listenOptions);
    },
    requests: log.entries,
    add,
    state: world.state,
    faults,
    reset: () => {
      clearState(world.state);
      world.ids.reset();
      log.clear();
      faults.clear();
      begin();
    },
  };
}

function createAdd(world: World): FakeAdd {
  const [eu, na] = [new RegionAdd('eu', world), new RegionAdd('na', world)];
  return Object.assign(new RegionAdd('eu', world), { eu, na });
}

/** The documented operations as routes: method, path and schemas come from the endpoints' own declarations. */
const documentedRoutes: readonly Route[] = /* @__PURE__ */ (Object.keys(endpoints) as OperationName[]).map(
  // The types of `operations` tie each operation to its endpoint; a list of all of them cannot say so.
  (name) => ({ name, endpoint: endpoints[name], operation: operations[name] }) as Route,
);

function fill(world: World, add: FakeAdd, { seed: kind = 'default', regions }: FakePlatformOptions): void {
  for (const region of REGIONS) {
    for (const entry of defaultCatalogue) world.state[region].defaultTools.set(entry.id, entry);
    if (kind === 'default') seedRegion(add[region], seed[region], createFixtures({ region }));
    addRecords(add[region], regions?.[region] ?? {});
  }
}

function addRecords(add: RegionAdd, records: RegionRecords): void {
  for (const workspace of records.workspaces ?? []) add.workspace(workspace);
  for (const org of records.orgs ?? []) add.org(org);
  for (const agent of records.agents ?? []) add.agent(agent);
  for (const variable of records.variables ?? []) add.variable(variable);
  for (const tool of records.tools ?? []) add.tool(tool);
  for (const entry of records.defaultTools ?? []) add.defaultTool(entry);
  for (const conversation of records.conversations ?? []) add.conversation(conversation);
  for (const lead of records.leads ?? []) add.lead(lead);
  for (const number of records.phoneNumbers ?? []) add.phoneNumber(number);
}
