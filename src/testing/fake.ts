import type { Endpoint } from '../endpoints/endpoint.js';
import type { Clock } from '../webhooks/clock.js';
import { createAdd, type FakeAdd } from './add.js';
import { Changes } from './changes.js';
import { checkNames, type FakeChoicesInput, resolveChoices } from './choices.js';
import { control } from './control/control.js';
import type { DeliveryRecord } from './deliver.js';
import { FakeRecords } from './fake-records.js';
import { FakeWebhooks } from './fake-webhooks.js';
import { FaultList, type Faults } from './faults/faults.js';
import { type FakeServer, type ListenOptions, type Site, startServer } from './http-server.js';
import type { FakeState, StartRecords } from './records.js';
import { type FakeRequest, RequestLog } from './request-log.js';
import { documentedRoutes, type Handler, handlerRoute, isSameOperation, type Route } from './route.js';
import { checkStartRecords, fill, type Seed, seed } from './seed.js';
import { type BaseUrls, type FakeFetch, normalizeBaseUrls, Service } from './service.js';
import { type FakeSnapshot, restoreSnapshot, takeSnapshot } from './snapshot.js';
import { clearWorld, createWorld, type World } from './state.js';

/** Options of {@link createFakePlatform}. Nothing is required. */
export interface FakePlatformOptions {
  /** Records to begin with, by region, on top of the seed. */
  readonly regions?: StartRecords | undefined;
  /**
   * `'default'`: a record of each kind in both regions, with the ids and secrets of `fake.seed`. `'empty'`: only
   * the catalogue of default tools, which is built in.
   */
  readonly seed?: 'default' | 'empty' | undefined;
  /** The choices where the specification is silent. */
  readonly choices?: FakeChoicesInput | undefined;
  /** The addresses that `fake.fetch` and the msw handlers answer at. Default: two hosts under `.test`. */
  readonly baseUrls?: Partial<BaseUrls> | undefined;
  /** The clock of latencies and time limits. Default: the runtime's. */
  readonly clock?: Clock | undefined;
  /**
   * Called after each answer, for a log or assertions of one's own. Changes nothing by throwing: the error is thrown again outside of the
   * call, as that of any event listener, so that the test runner reports it.
   */
  readonly onRequest?: ((request: FakeRequest) => void) | undefined;
  /** Called after each delivery of a webhook, whatever its outcome. What it throws is thrown again, as by `onRequest`. */
  readonly onDelivery?: ((delivery: DeliveryRecord) => void) | undefined;
}

/** The parts of a fake that the command needs beyond its methods. */
interface Inside {
  readonly changes: Changes;
  readonly listen: (options: ListenOptions, site: Site) => Promise<FakeServer>;
  /** Keeps only this many of the newest requests, and of the newest deliveries, from now on, and tells of each that is forgotten. */
  readonly keepNewest: (most: number, onForgotten: (what: 'requests' | 'deliveries') => void) => void;
}

/** The inside of a fake, for the command. */
export let insideOf: (fake: FakePlatform) => Inside;

/** Characters of the bodies of requests and answers that a fake keeps which keeps only the newest: as values, they take twenty times the memory. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * The service, in memory. Made by {@link createFakePlatform}. A request takes the way that is told in service.ts, whichever
 * of the three doors it comes through: `fetch`, the server of `listen`, or the msw handlers.
 */
export class FakePlatform {
  /** The base address of each region in process, for `fake.fetch` and the msw handlers. */
  readonly baseUrls: BaseUrls;
  /** Ids and secrets of the records that the default seed begins with. */
  readonly seed: Seed = seed;
  /** Puts records into the fake. */
  readonly add: FakeAdd;
  /** The live records, by region. */
  readonly state: FakeState;
  /** The same records by the names of their collections: to list, add, change and remove. */
  readonly records: FakeRecords;
  /** Every request so far, through every door, in the order of arrival. */
  readonly requests: readonly FakeRequest[];
  /** Lets the next calls go wrong. */
  readonly faults: Faults;
  /** Sends events to subscribers. */
  readonly webhooks: FakeWebhooks;
  /**
   * Answers in process, without a server. Rejects as the runtime's `fetch` does: with the signal's reason when
   * aborted, with a `TypeError` where no connection would be made.
   */
  readonly fetch: FakeFetch;
  readonly #fetchOverHttp: FakeFetch;
  readonly #world: World;
  readonly #log: RequestLog;
  readonly #changes: Changes;
  readonly #options: FakePlatformOptions;
  readonly #faults: FaultList;
  #routes: readonly Route[] = documentedRoutes;
  /** A test looks at all of them; a server that runs for weeks could not hold them. */
  #most = Number.POSITIVE_INFINITY;
  #onForgotten: Parameters<Inside['keepNewest']>[1] = () => undefined;

  static {
    insideOf = (fake) => ({
      changes: fake.#changes,
      listen: (options, site) => fake.#listen(options, site),
      keepNewest: (most, onForgotten) => {
        fake.#most = most;
        fake.#onForgotten = onForgotten;
      },
    });
  }

  /** Use {@link createFakePlatform}. */
  constructor(options: FakePlatformOptions) {
    checkOptions(options);
    const { clock = realClock, onRequest, onDelivery } = options;
    const world = createWorld(resolveChoices(options.choices));
    const changes = new Changes();
    const forgetsOldest =
      (what: 'requests' | 'deliveries') =>
      (count: number, characters = 0) => {
        const most = this.#most === Number.POSITIVE_INFINITY ? this.#most : MAX_CHARACTERS;
        if (count <= this.#most && characters <= most) return false;
        this.#onForgotten(what);
        return true;
      };
    const log = new RequestLog(clock, {
      forgetsOldest: forgetsOldest('requests'),
      arrived: (request) => changes.tell('request', request),
      answered: (request) => {
        call(onRequest, request);
        changes.tell('request', request);
        if (request.method !== 'GET') changes.tell('changed', 'records');
      },
    });
    const routes = (): readonly Route[] => this.#routes;
    const faults = new FaultList(routes, clock, () => changes.tell('changed', 'faults'));
    const baseUrls = normalizeBaseUrls(options.baseUrls);
    const service = new Service({ world, log, faults, baseUrls, routes });
    this.baseUrls = baseUrls;
    this.add = createAdd(world);
    this.state = world.state;
    this.requests = log.entries;
    this.#faults = faults;
    this.faults = faults;
    this.records = new FakeRecords(world, this.add, changes);
    this.webhooks = new FakeWebhooks(world, clock, {
      forgetsOldest: forgetsOldest('deliveries'),
      delivered: (delivery) => {
        call(onDelivery, delivery);
        changes.tell('delivery', delivery);
      },
      changed: (what) => changes.tell('changed', what),
    });
    this.fetch = service.fetchThrough('process');
    this.#fetchOverHttp = service.fetchThrough('http');
    this.#world = world;
    this.#log = log;
    this.#changes = changes;
    // A copy: `reset` leads to these, whatever becomes of the test's own.
    this.#options = { ...options, regions: structuredClone(options.regions) };
    fill(world, this.add, options);
  }

  /**
   * Starts a real HTTP server on loopback, which serves both regions. Any number can listen at once.
   *
   * @throws {TypeError} When an option is misspelt, or a name in `allowedHosts` has a port.
   * @throws {ConfigurationError} When `maxBodyBytes` is not a number above 0.
   * @throws {AgentPlatformError} The runtime has no `node:http`: Node 20.16 or newer, Bun and Deno have it.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * const server = await fake.listen();
   * const { baseUrls } = server;
   * const platform = new AgentPlatform({ region: 'eu', token: fake.seed.eu.workspaceSecret, baseUrls });
   * console.log(await platform.tools.listDefaults());
   * await server.close();
   * ```
   */
  async listen(options: ListenOptions = {}): Promise<FakeServer> {
    return this.#listen(options);
  }

  #listen(options: ListenOptions, site?: Site): Promise<FakeServer> {
    checkNames('listen: the option', options, listenOptionNames);
    const rules = { anyTarget: options.host !== undefined };
    const answer = (request: Request): Promise<Response> =>
      control({ fake: this, changes: this.#changes, rules }, request);
    const behind = {
      fetch: this.#fetchOverHttp,
      baseUrls: this.baseUrls,
      control: options.control === true ? answer : undefined,
      site,
    };
    return startServer(behind, options);
  }

  /**
   * Adds an operation that the specification does not show, or takes the place of one that it does. Requests are
   * authenticated, validated against the endpoint's body schema, and within the caller's reach (`choices.permits`) before
   * the handler sees them.
   *
   * @example
   * ```ts
   * import { AgentPlatform, endpoint, ToolSchema, withData } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   * import * as z from 'zod';
   *
   * // The specification names this operation (4.4) and does not show its shape: the body and the answer are made up.
   * const createTool = endpoint({
   *   method: 'POST',
   *   path: '/agents/{agentId}/tools',
   *   body: z.object({ name: z.string(), serverUrl: z.url() }),
   *   response: withData(ToolSchema),
   * });
   *
   * const fake = createFakePlatform();
   * fake.handle(createTool, ({ path, body, succeed }) => succeed(fake.add.tool({ ...body, ...path })));
   * ```
   */
  handle<Path extends string, Body, Query, Result>(
    endpoint: Endpoint<Path, Body, Query, Result>,
    handler: Handler<Path, Body, Result>,
  ): void {
    const documented = documentedRoutes.find((route) => isSameOperation(route.endpoint, endpoint));
    const name = documented?.name ?? `${endpoint.method} ${endpoint.path}`;
    this.#routes = [
      handlerRoute(name, endpoint, handler),
      ...this.#routes.filter((route) => !isSameOperation(route.endpoint, endpoint)),
    ];
  }

  /**
   * Forgets every request so far.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * fake.clearRequests();
   * console.log(fake.requests); // []
   * ```
   */
  clearRequests(): void {
    this.#log.clear();
    this.#changes.tell('changed', 'requests');
  }

  /**
   * Takes down everything that outlasts the fake, as JSON: records, faults, and the subscriptions that are `untilReset`. Secrets
   * and marked fields are in it: they are made up.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * const before = fake.snapshot();
   * fake.add.tool({ id: 'crm_lookup' });
   * fake.restore(before);
   * fake.state.eu.tools.has('crm_lookup'); // false
   * ```
   */
  snapshot(): FakeSnapshot {
    return takeSnapshot(this.#parts());
  }

  /**
   * Puts what a snapshot holds in the place of what the fake holds. Subscriptions that are not `untilReset` stay as they are;
   * `reset` still leads to the beginning.
   *
   * @throws {TypeError} When it is no snapshot: the message names the fields.
   */
  restore(snapshot: FakeSnapshot): void {
    restoreSnapshot(this.#parts(), snapshot);
    this.#changes.tell('changed', 'records');
  }

  #parts() {
    return { world: this.#world, webhooks: this.webhooks, faults: this.#faults };
  }

  /**
   * Takes records, requests, faults and deliveries back to how they were when the fake was made, and ends the subscriptions
   * that are `untilReset`: those that were added over HTTP. What it is wired to stays: servers, handlers, other subscriptions.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * fake.add.tool({ id: 'crm_lookup' });
   * fake.reset();
   * fake.state.eu.tools.has('crm_lookup'); // false
   * ```
   */
  reset(): void {
    clearWorld(this.#world);
    this.clearRequests();
    this.faults.clear();
    this.webhooks.reset();
    fill(this.#world, this.add, this.#options);
    this.#changes.tell('changed', 'records');
  }
}

/**
 * Makes a fake of the service: the documented operations with their documented rules, on records in memory. The
 * two regions share nothing. Where the specification is silent, {@link FakeChoices} names what the fake does.
 *
 * @throws {TypeError} When an option or a choice is not known or has a wrong value, or `regions` holds a record that names one
 *   that is not there.
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
  return new FakePlatform(options);
}

const optionNames: Readonly<Record<keyof FakePlatformOptions, true>> = {
  regions: true,
  seed: true,
  choices: true,
  baseUrls: true,
  clock: true,
  onRequest: true,
  onDelivery: true,
};

const listenOptionNames: Readonly<Record<keyof ListenOptions, true>> = {
  port: true,
  host: true,
  control: true,
  allowedHosts: true,
  maxBodyBytes: true,
  onWarning: true,
  unref: true,
};

/** A test that misspells an option would test something else. */
function checkOptions(options: FakePlatformOptions): void {
  checkNames('createFakePlatform: the option', options, optionNames);
  checkStartRecords(options.regions);
  const { seed = 'default' } = options;
  if (seed !== 'default' && seed !== 'empty') {
    throw new TypeError("createFakePlatform: the option \"seed\" must be 'default' or 'empty'.");
  }
}

/** Calls a listener of the user's, whose error is neither swallowed nor taken for a failure of the request. */
function call<Value>(listener: ((value: Value) => void) | undefined, value: Value): void {
  try {
    listener?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** The runtime's own clock. Its timers keep a process alive: somebody is waiting for the answer. */
const realClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  // The cast undoes what `Clock` widened.
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
};
