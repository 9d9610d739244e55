import type { Endpoint } from '../endpoints/endpoint.js';
import { endpoints } from '../endpoints/endpoints.js';
import { type BaseUrls, normalizeBaseUrls } from './base-urls.js';
import { resolveChoices } from './choices.js';
import { realClock } from './clock.js';
import { control } from './control.js';
import { createFetch, type FakeFetch } from './fake-fetch.js';
import { checkOptions, type FakePlatformOptions } from './fake-options.js';
import type { Faults } from './faults/faults.js';
import { FaultList } from './faults/faults.js';
import { type Handler, handlerRoute } from './handler.js';
import { type FakeServer, type ListenOptions, startServer } from './http-server.js';
import type { OperationName } from './operation.js';
import { operations } from './operations.js';
import { type FakeRequest, RequestLog } from './request-log.js';
import { isSameOperation, type Route } from './route.js';
import { type Seed, seed } from './seed.js';
import { Service } from './service.js';
import { createAdd, type FakeAdd, fill } from './start.js';
import { clearState, type FakeState } from './state.js';
import { FakeWebhooks } from './webhooks/webhooks.js';
import { createWorld, type World } from './world.js';

/** The documented operations as routes: method, path and schemas come from the endpoints' own declarations. */
const documentedRoutes: readonly Route[] = /* @__PURE__ */ (Object.keys(endpoints) as OperationName[]).map(
  // The types of `operations` tie each operation to its endpoint; a list of all of them cannot say so.
  (name) => ({ name, endpoint: endpoints[name], operation: operations[name] }) as Route,
);

/** The service, in memory. Made by {@link createFakePlatform}. */
export class FakePlatform {
  /** The base address of each region in process, for `fake.fetch` and the msw handlers. */
  readonly baseUrls: BaseUrls;
  /** Ids and secrets of the records that the default seed begins with. */
  readonly seed: Seed = seed;
  /** Puts records into the fake. */
  readonly add: FakeAdd;
  /** The live records, by region. */
  readonly state: FakeState;
  /** Every request so far, through every door, in the order of arrival. */
  readonly requests: readonly FakeRequest[];
  /** What goes wrong with the next calls. */
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
  readonly #options: FakePlatformOptions;
  #routes: readonly Route[] = documentedRoutes;

  /** Use {@link createFakePlatform}. */
  constructor(options: FakePlatformOptions) {
    checkOptions(options);
    const { clock = realClock, onRequest = () => undefined, onDelivery = () => undefined } = options;
    const world = createWorld(resolveChoices(options.choices));
    const log = new RequestLog(onRequest);
    const routes = (): readonly Route[] => this.#routes;
    this.baseUrls = normalizeBaseUrls(options.baseUrls ?? {});
    this.add = createAdd(world);
    this.state = world.state;
    this.requests = log.entries;
    const faults = new FaultList(routes, clock);
    this.faults = faults;
    this.webhooks = new FakeWebhooks(world, clock, onDelivery);
    const service = new Service({ world, log, routes, intercept: faults.intercept });
    this.fetch = createFetch(service, this.baseUrls, 'process');
    this.#fetchOverHttp = createFetch(service, this.baseUrls, 'http');
    this.#world = world;
    this.#log = log;
    this.#options = options;
    fill(world, this.add, options);
  }

  /**
   * Starts a real HTTP server on loopback, which serves both regions. Any number can listen at once.
   *
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
    const behind = {
      fetch: this.#fetchOverHttp,
      baseUrls: this.baseUrls,
      control: options.control === true ? (request: Request) => control(this, request) : undefined,
    };
    return startServer(behind, options);
  }

  /**
   * Adds an operation that the document does not show, or takes the place of one that it does. Requests are
   * authenticated and validated against the endpoint's body schema before the handler sees them.
   *
   * @example
   * ```ts
   * import { AgentPlatform, endpoint, ToolSchema, withData } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   * import * as z from 'zod';
   *
   * const listTools = endpoint({
   *   method: 'GET',
   *   path: '/agents/{agentId}/tools',
   *   response: withData(z.array(ToolSchema)),
   * });
   *
   * const fake = createFakePlatform();
   * fake.handle(listTools, ({ path, state, succeed }) =>
   *   succeed([...state.tools.values()].filter((tool) => tool.agentId === path.agentId)),
   * );
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
      ...this.#routes.filter((route) => route.name !== name),
    ];
  }

  /**
   * Takes records, requests, faults and deliveries back to how they were when the fake was made. What it is wired
   * to stays: servers, subscriptions, handlers.
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
    clearState(this.#world.state);
    this.#world.ids.reset();
    this.#log.clear();
    this.faults.clear();
    this.webhooks.reset();
    fill(this.#world, this.add, this.#options);
  }
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
  return new FakePlatform(options);
}
