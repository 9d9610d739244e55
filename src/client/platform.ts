import * as z from 'zod/v4/mini';
import {
  type Endpoint,
  type EndpointInput,
  type HttpMethod,
  operationIssues,
  type PagedEndpoint,
  type QueryValue,
} from '../endpoints/endpoint.js';
import { pathProblem } from '../endpoints/path.js';
import { ConfigurationError, RequestValidationError } from '../errors/index.js';
import { bindMethods } from '../utils/bound.js';
import { typeName } from '../utils/issues.js';
import { parseJson } from '../utils/json.js';
import type { Region } from '../utils/regions.js';
import { defined, refuseOptions } from '../validation/check-options.js';
import { type ApiPromise, PendingCall } from './api-promise.js';
import { createSend, type Send } from './call/send.js';
import { masked, shownPath } from './call/words.js';
import type { AgentPlatformOptions, RequestOptions } from './options.js';
import { type PagedList, pagedList } from './pages.js';
import { ConversationsResource } from './resources/conversations.js';
import { OrgsResource } from './resources/orgs.js';
import { PhoneNumbersResource } from './resources/phone-numbers.js';
import { ToolsResource } from './resources/tools.js';
import { VariablesResource } from './resources/variables.js';
import { WorkspacesResource } from './resources/workspaces.js';
import {
  checkChanges,
  checkRawOptions,
  copied,
  mergeHeaders,
  resolveSettings,
  type Settings,
} from './settings.js';

/** Lets a call omit the input if its endpoint takes none. */
type SendArguments<Input> = {} extends Input
  ? [input?: Input, options?: RequestOptions]
  : [input: Input, options?: RequestOptions];

/** Has the query and the body of `platform.request()`, and the options of the call. */
export interface RawRequest extends Omit<RequestOptions, 'validation'> {
  /** Adds parameters to the query. A list repeats its name. */
  readonly query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Is sent as JSON. */
  readonly body?: unknown;
}

/**
 * Calls the Conversational Agent Platform REST API (V3), in one region, with one token.
 *
 * Absent settings are read from `AGENT_PLATFORM_REGION`, `AGENT_PLATFORM_TOKEN`,
 * `AGENT_PLATFORM_BASE_URL_EU`, `AGENT_PLATFORM_BASE_URL_NA`, `AGENT_PLATFORM_LOG` and
 * `AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL`. The constructor checks everything. Create one client and share it.
 *
 * @throws {ConfigurationError} If options are missing, unknown or wrong. The message names each
 * option and its environment variable.
 *
 * @example
 * ```ts
 * import { AgentPlatform } from 'agent-platform-sdk';
 *
 * const platform = new AgentPlatform({
 *   region: 'eu',
 *   token: process.env.AGENT_PLATFORM_TOKEN,
 *   baseUrls: { eu: 'https://api.eu.example.com' },
 * });
 * const tool = await platform.tools.get('tool_1');
 * console.log(tool.name);
 * ```
 */
export class AgentPlatform {
  /** The region of every call. */
  readonly region: Region;
  /** The base address, ending in `/v3`. */
  readonly baseUrl: string;

  /** Organisations: their dashboard users and teams. */
  readonly orgs: OrgsResource;
  /** Variables of agents. */
  readonly variables: VariablesResource;
  /** Phone numbers, rented or imported. */
  readonly phoneNumbers: PhoneNumbersResource;
  /** Tools of agents, and the catalogue of built-in ones. */
  readonly tools: ToolsResource;
  /** Conversations: chats and calls. */
  readonly conversations: ConversationsResource;
  /** Workspaces, which agents and conversations belong to. */
  readonly workspaces: WorkspacesResource;

  readonly #settings: Settings;
  readonly #send: Send;

  constructor(options: AgentPlatformOptions = {}) {
    const settings = resolveSettings(options);
    const send = createSend(settings);
    this.#settings = settings;
    this.#send = send;
    this.region = settings.region;
    this.baseUrl = settings.baseUrl;
    this.orgs = new OrgsResource(send);
    this.variables = new VariablesResource(send);
    this.phoneNumbers = new PhoneNumbersResource(send);
    this.tools = new ToolsResource(send);
    this.conversations = new ConversationsResource(send);
    this.workspaces = new WorkspacesResource(send);
    bindMethods(this);
  }

  /**
   * Returns a client with some options changed: another token for one agent, another timeout.
   *
   * Options that are absent or undefined stay as they are. `headers` and `baseUrls` are merged, everything else
   * is replaced. A subclass gets one of its own class, so its constructor must take the options alone.
   *
   * @throws {ConfigurationError} If an option is wrong, or `region` changes without a `token`. A choice: the
   * specification does not say whether a secret belongs to one region.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * const perAgent = platform.withOptions({ token: process.env.AGENT_SECRET });
   * ```
   */
  withOptions(options: AgentPlatformOptions): this {
    checkChanges(options);
    const changes = copied('changes', options);
    const { region = this.region, token, baseUrls, headers } = changes;
    if (region !== this.region && token === undefined) {
      const text = `is missing: the region changes to '${region}', and a token is not sent to another region.`;
      refuseOptions('withOptions', [{ option: 'token', text }]);
    }
    const { options: own, headers: ownHeaders } = this.#settings;
    const changed = {
      ...own,
      ...defined(changes),
      headers: mergeHeaders(ownHeaders, headers),
      baseUrls: { ...own.baseUrls, ...defined(baseUrls ?? {}) },
    };
    // Also that of a subclass (openai-ruby#438).
    const Client = this.constructor as new (options: AgentPlatformOptions) => this;
    return new Client(changed);
  }

  /**
   * Sends an operation that was declared with `endpoint()`.
   *
   * Use it for an operation that the specification does not describe, or for one of `endpoints`. Checks,
   * retries and errors work as in the methods: a 2xx with `success: false` or `isGood: false` is an
   * `OperationFailedError`.
   *
   * @param endpoint - The operation.
   * @param args - The input (`path`, `body`, `query`, as declared), then the options of this call.
   *
   * @example
   * ```ts
   * import { AgentPlatform, endpoint, withData } from 'agent-platform-sdk';
   * import * as z from 'zod';
   *
   * // Made up: the specification describes no operation that retrieves an agent.
   * const getAgent = endpoint({
   *   method: 'GET',
   *   path: '/agents/{agentId}',
   *   response: withData(z.object({ id: z.string(), name: z.string() })),
   * });
   *
   * const platform = new AgentPlatform();
   * const agent = await platform.send(getAgent, { path: { agentId: 'agent_1' } });
   * console.log(agent.name);
   * ```
   */
  send<Path extends string, Body, Query, Result>(
    endpoint: Endpoint<Path, Body, Query, Result>,
    ...args: SendArguments<EndpointInput<Path, NoInfer<Body>, NoInfer<Query>>>
  ): ApiPromise<Result> {
    const [input = {}, options] = args;
    // From JavaScript it may be anything.
    if ((endpoint as Partial<Endpoint> | undefined)?.response?.kind === undefined) {
      const message = `send: endpoint must come from \`endpoints\` or from \`endpoint()\`, got ${typeName(endpoint)}.`;
      // A call never throws: it rejects.
      return new PendingCall(Promise.reject(new ConfigurationError(message, { option: 'endpoint' })));
    }
    // An endpoint without input takes `{}`; for any other the types require the input.
    return this.#send(endpoint, input as EndpointInput<Path, Body, Query>, options);
  }

  /**
   * Reads all pages of a list that was declared with `withPage()`, row by row.
   *
   * Nothing is sent before you iterate: `await` gives no list. Each `for await` starts with the first page, `break`
   * stops it, and a page that fails rejects with the error of its call. `.pages()` gives whole pages, whose `nextCursor`
   * you can save, and pass in the query to go on later. Options such as `totalTimeout` count for each page.
   *
   * The list ends if `hasMore` is false, or there is no next cursor. It's never cut off silently: `hasMore: true` without
   * a cursor, or a page with rows whose cursor was sent before, rejects with a `ResponseValidationError`.
   *
   * @param endpoint - The operation.
   * @param args - The input of the first page (`path`, `body`, `query`, as declared), then the options of the calls.
   *
   * @example
   * ```ts
   * import { AgentPlatform, endpoint, ToolSchema, withPage } from 'agent-platform-sdk';
   * import * as z from 'zod';
   *
   * // Made up: the specification shows no list with a cursor.
   * const listTools = endpoint({
   *   method: 'GET',
   *   path: '/agents/{agentId}/tools',
   *   query: z.object({ cursor: z.string().optional() }),
   *   response: withPage(ToolSchema),
   * });
   *
   * const platform = new AgentPlatform();
   * for await (const tool of platform.paginate(listTools, { path: { agentId: 'agent_1' } })) console.log(tool.name);
   * ```
   */
  paginate<Path extends string, Body, Query, Result, Row>(
    endpoint: PagedEndpoint<Path, Body, Query, Result, Row>,
    ...args: SendArguments<EndpointInput<Path, NoInfer<Body>, NoInfer<Query>>>
  ): PagedList<Row> {
    const [input = {}, options] = args;
    // See `send`.
    return pagedList(this.#send, endpoint, input as EndpointInput<Path, Body, Query>, options);
  }

  /**
   * Sends a request that no declaration describes, for a first look at an operation.
   *
   * Returns the parsed body of a 2xx without checking it, or undefined if it was empty. Uses the client's token
   * and region, and retries and fails like any call. If you keep the call, declare it with `endpoint()` and
   * use {@link send}.
   *
   * @param method - The HTTP method. A `GET` cannot have a body.
   * @param path - Relative to the base address: starts with a slash, not with `/v3`, and may have a query. Encode
   * the ids in it. A path that URL parsing would change (`..`, `\`) is refused: it could reach another operation.
   * @param options - `query`, `body` (anything that JSON can hold), and the options of a call.
   * @returns The parsed body, with its envelope.
   * @throws {RequestValidationError} If method, path, query or body is wrong; nothing was sent.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * // The specification names this operation (4.4) without its shape: the body is made up.
   * const body = { nodes: [{ toolsIds: ['web-search'] }] };
   * console.log(await platform.request('PATCH', '/agents/agent_1', { body }));
   * ```
   */
  request(method: HttpMethod, path: string, options: RawRequest = {}): ApiPromise<unknown> {
    // From JavaScript it may be anything, as the check says.
    const { query, body, ...callOptions } = copied('raw', (options ?? {}) as RawRequest);
    const { token = this.#settings.token } = callOptions;
    const shown = typeof path === 'string' ? shownPath(path, token) : typeName(path);
    const check = () => {
      checkRawOptions(options, `${method} ${shown}`);
      const wrongPath = pathProblem(path);
      const issues = operationIssues(method, wrongPath && masked(wrongPath, token), body);
      if (typeof body === 'string' && typeof parseJson(body) === 'object') {
        const message = 'expected the value, received it as JSON text';
        issues.push({ path: ['body'], code: 'invalid_body', message });
      }
      if (issues.length > 0) throw new RequestValidationError({ method, path: shown, issues });
    };
    const anything = z.unknown();
    const endpoint: Endpoint = {
      method,
      // For hooks: with the ids in it, each call would be a metric of its own.
      path: '(request)',
      query: query && anything,
      body: body === undefined ? undefined : anything,
      response: { kind: 'body', schema: anything },
      auth: 'bearer',
    };
    // Those that are undefined are no parts of the endpoint.
    const input = { query, body } as EndpointInput<string, unknown, unknown>;
    const raw = { sent: path, shown };
    return this.#send(endpoint, input, { ...callOptions, validation: 'off' }, { check, raw });
  }
}
