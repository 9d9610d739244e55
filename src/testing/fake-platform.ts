import * as z from 'zod/v4/mini';
import type { Endpoint } from '../endpoints/endpoint.js';
import { flag } from '../schemas/fields.js';
import { bindMethods } from '../utils/bound.js';
import { byRegion } from '../utils/regions.js';
import { checkedBy, checkOptions, func, oneOf } from '../validation/check-options.js';
import { ChangeEmitter, type FakeChange } from './changes.js';
import { choicesSchema, type FakeChoices } from './fake/choices.js';
import { Faults } from './fake/faults/faults.js';
import { createFetch, type FakeFetch } from './fake/fetch.js';
import { Generation } from './fake/generation.js';
import { type Handler, handlerRoute } from './fake/handler.js';
import { type FakeRequest, Log } from './fake/log.js';
import { type BaseUrls, baseUrlProblem, resolveBaseUrls } from './fake/places.js';
import { createAdd, type FakeAdd } from './fake/records/add.js';
import type { FakeState, StartRecords } from './fake/records/records.js';
import {
  clearStore,
  createStore,
  FakeRecords,
  type FakeSnapshot,
  listsSchema,
  restoreSnapshot,
  takeSnapshot,
} from './fake/records/region-store.js';
import { fillStore, type Seed, seed } from './fake/records/seed.js';
import { documentedRoutes, endpointProblem, type Route } from './fake/route.js';
import { type Incoming, respondTo, type Service } from './fake/service.js';
import { copyOf } from './fixtures/overlay.js';
import { type FakeServer, type ListenOptions, startServer } from './http/server.js';
import { FakeWebhooks } from './sending/webhooks.js';

/** Options of {@link createFakePlatform}. Nothing is required. */
export interface FakePlatformOptions {
  /** Initial records by region and collection, in addition to the seed. */
  readonly regions?: StartRecords | undefined;
  /**
   * `'default'`: a record of each kind in both regions, with the ids and secrets of `fake.seed`. `'empty'`:
   * only the built-in catalogue of default tools.
   */
  readonly seed?: 'default' | 'empty' | undefined;
  /** The decisions of the fake where the specification is silent. */
  readonly choices?: Partial<FakeChoices> | undefined;
  /** The addresses of `fake.fetch` and the msw handlers. Default: two hosts under `.test`. */
  readonly baseUrls?: Partial<BaseUrls> | undefined;
}

function optionsSchema(): z.core.$ZodType {
  const fields = {
    regions: z.optional(z.strictObject(byRegion(() => z.optional(listsSchema())))),
    seed: z.optional(oneOf(['default', 'empty'])),
    choices: z.optional(choicesSchema()),
    baseUrls: z.optional(z.strictObject(byRegion(() => z.optional(checkedBy(baseUrlProblem))))),
  } satisfies Record<keyof FakePlatformOptions, z.core.$ZodType>;
  return z.strictObject(fields);
}

const handleSchema = /* @__PURE__ */ z.strictObject({
  endpoint: /* @__PURE__ */ checkedBy(endpointProblem),
  handler: func,
});

/** Removes a handler of `fake.handle`. */
export interface UndoHandle {
  (): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * The service, in memory. Created by {@link createFakePlatform}. Every request passes through one function
 * (service.ts), whether it comes by `fetch`, by the server of `listen`, or by the msw handlers.
 */
export class FakePlatform {
  /** The base address of each region in process, for `fake.fetch` and the msw handlers. */
  readonly baseUrls: BaseUrls;
  /** Ids and secrets of the records of the default seed. */
  readonly seed: Seed = seed;
  /** Adds records. */
  readonly add: FakeAdd;
  /** The live records, by region. */
  readonly state: FakeState;
  /** The same records by the names of their collections: to list, add, change and remove. */
  readonly records: FakeRecords;
  /** The requests so far, in the order of arrival: the newest 10,000. */
  readonly requests: readonly FakeRequest[];
  /** Injects failures into the next calls. */
  readonly faults: Faults;
  /** Sends events to subscribers. */
  readonly webhooks: FakeWebhooks;
  /**
   * Responds in process, without a server. Rejects like the runtime's `fetch`: with the signal's reason when
   * aborted, with a `TypeError` if no connection is made.
   */
  readonly fetch: FakeFetch;
  readonly #service: Service;
  readonly #changes = new ChangeEmitter();
  readonly #options: FakePlatformOptions;
  #routes: readonly Route[] = documentedRoutes;

  /** Use {@link createFakePlatform}. */
  constructor(options: FakePlatformOptions) {
    checkOptions(optionsSchema(), options, { of: 'createFakePlatform' });
    const { refusals = {}, permits = () => undefined } = options.choices ?? {};
    const { emit, changed } = this.#changes;
    const store = createStore(changed('records'));
    const generation = new Generation();
    const log = new Log<FakeRequest>('request', {
      onEntry: (request) => emit({ type: 'request', request }),
      onClear: changed('requests'),
    });
    const routes = (): readonly Route[] => this.#routes;
    const faults = new Faults(routes, changed('faults'));
    this.baseUrls = resolveBaseUrls(options.baseUrls);
    this.#service = {
      baseUrls: this.baseUrls,
      choices: { refusals, permits },
      store,
      log,
      faults,
      generation,
      routes,
    };
    this.state = store;
    this.add = createAdd(store);
    this.records = new FakeRecords(store);
    this.requests = log.entries;
    this.faults = faults;
    this.webhooks = new FakeWebhooks(store, generation, {
      onEntry: (delivery) => emit({ type: 'delivery', delivery }),
      onClear: changed('deliveries'),
      onSubscriptions: changed('subscriptions'),
    });
    this.fetch = createFetch(this.#service);
    // A copy: `reset` returns to these records, even if the test has changed its own.
    this.#options = { ...options, regions: copyOf(options.regions) };
    fillStore(store, this.#options);
    bindMethods(this);
  }

  /**
   * Starts a real HTTP server on loopback, which serves both regions. Any number can listen at once.
   *
   * @throws {ConfigurationError} If an option is unknown or wrong.
   * @throws {AgentPlatformError} If the runtime lacks `node:http`, which Node 20.16, Bun and Deno have.
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
    // Loaded when it is needed: the page and its framework are half of this entry point.
    const control = options.control === true ? await import('./http/control.js') : undefined;
    const respond = (incoming: Incoming): Promise<Response> => respondTo(this.#service, incoming);
    return startServer({ respond, control: control?.createControl(this) }, options);
  }

  /**
   * Adds an operation that the specification does not show, or replaces a documented one. Works at any time.
   *
   * Before the handler is called, the request is authenticated, validated against the endpoint's schemas of
   * query and body, and checked by `choices.permits`. The handler checks what else a caller may reach.
   *
   * @returns A function that removes the handler, which uncovers what it replaced. `using` does it by itself.
   * @throws {ConfigurationError} If the endpoint or the handler is something else.
   *
   * @example
   * ```ts
   * import { AgentPlatform, endpoint, ToolSchema, withData } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   * import * as z from 'zod';
   *
   * // The specification names this operation (4.4) without its shape: body and response are made up.
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
    handler: Handler<Path, Body, Query, Result>,
  ): UndoHandle {
    checkOptions(handleSchema, { endpoint, handler }, { of: 'fake.handle' });
    const added = handlerRoute(endpoint, handler);
    // The first route of an operation answers.
    this.#routes = [added, ...this.#routes];
    const undo = (): void => {
      this.#routes = this.#routes.filter((route) => route !== added);
    };
    return Object.assign(undo, { [Symbol.dispose]: undo });
  }

  /**
   * Calls a listener with each change: of records, requests, faults, subscriptions and deliveries. A request
   * comes at its arrival, and again with its response; a delivery at its posting, and again at its end. What
   * the listener throws fails the test run, not the request.
   *
   * @returns A function that ends this.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * const stop = fake.onChange((change) => console.log(change.type));
   * fake.add.tool({ id: 'crm_lookup' }); // changed
   * stop();
   * ```
   */
  onChange(listener: (change: FakeChange) => void): () => void {
    return this.#changes.listen(listener);
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
    this.#service.log.clear();
  }

  /**
   * Returns a copy of all records, as JSON. Secrets and marked fields are in it: they are made up.
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
    return takeSnapshot(this.#service.store);
  }

  /**
   * Replaces all records by those of a snapshot. Requests, faults and subscriptions stay; `reset` still
   * returns to the initial state.
   *
   * @throws {ConfigurationError} If it is not a snapshot, or a record in it is wrong. Then nothing changes.
   */
  restore(snapshot: FakeSnapshot): void {
    restoreSnapshot(this.#service.store, snapshot);
  }

  /**
   * Starts over: restores the initial records and ids, forgets requests, faults and deliveries, and ends calls
   * and deliveries under way. Servers and handlers stay.
   *
   * It ends the subscriptions that were added since the fake was created, unless `keepSubscriptions` is true.
   *
   * @throws {ConfigurationError} If an option is unknown or wrong.
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
  reset(options: ResetOptions = {}): void {
    checkOptions(z.strictObject({ keepSubscriptions: flag }), options, { of: 'fake.reset' });
    this.#service.generation.end();
    clearStore(this.#service.store);
    this.clearRequests();
    this.faults.clear();
    this.webhooks.reset(options.keepSubscriptions === true);
    fillStore(this.#service.store, this.#options);
  }
}

/** Options of `fake.reset`. */
export interface ResetOptions {
  /** Keeps the subscriptions. Default false. */
  readonly keepSubscriptions?: boolean | undefined;
}

/**
 * Creates a fake of the service: the documented operations with their documented rules, on records in memory.
 *
 * The two regions share nothing. {@link FakeChoices} says what it does where the specification is silent.
 *
 * @throws {ConfigurationError} If an option is unknown or wrong, or a record in `regions` refers to one that
 * does not exist.
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
