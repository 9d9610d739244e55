import type { Endpoint, EndpointInput } from '../endpoints/endpoint.js';
import { forCaller } from '../errors/caller.js';
import { type Region, regionOf } from '../ground/regions.js';
import { checkHeaders, defined, refuseOption, refuseUnknown } from '../validation/option-checks.js';
import type { ApiPromise } from './api-promise.js';
import type { AgentPlatformOptions, RequestOptions } from './options.js';
import { ConversationsResource } from './resources/conversations.js';
import { OrgsResource } from './resources/orgs.js';
import { PhoneNumbersResource } from './resources/phone-numbers.js';
import { ToolsResource } from './resources/tools.js';
import { VariablesResource } from './resources/variables.js';
import { WorkspacesResource } from './resources/workspaces.js';
import { PLATFORM_OPTIONS, REGION_NAMES, resolveSettings } from './settings.js';
import { createSend, type Send } from './transport/send.js';

/** The input may be left out where an endpoint takes none. */
type SendArguments<Input> = {} extends Input
  ? [input?: Input, options?: RequestOptions]
  : [input: Input, options?: RequestOptions];

/**
 * The client of the Conversational Agent Platform REST API (V3): one region, one token.
 *
 * Settings that are not given are read from `AGENT_PLATFORM_REGION`, `AGENT_PLATFORM_TOKEN`,
 * `AGENT_PLATFORM_BASE_URL_EU`, `AGENT_PLATFORM_BASE_URL_NA` and `AGENT_PLATFORM_LOG`. Everything is checked here,
 * before the first call.
 *
 * @throws {ConfigurationError} When an option is wrong or missing. It names the option and the variable.
 *
 * @example
 * ```ts
 * import { AgentPlatform } from 'agent-platform-sdk';
 *
 * const platform = new AgentPlatform({
 *   region: 'eu',
 *   token: process.env.WORKSPACE_SECRET,
 *   baseUrls: { eu: 'https://api.eu.example.com' },
 * });
 * const tool = await platform.tools.get('tool_1');
 * console.log(tool.name);
 * ```
 */
export class AgentPlatform {
  /** The region that every call goes to. */
  readonly region: Region;
  /** The address that every path is appended to. Ends in `/v3`. */
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

  readonly #options: AgentPlatformOptions;
  readonly #send: Send;

  constructor(options: AgentPlatformOptions = {}) {
    // Not by the name of the class: see `derived`.
    const settings = forCaller(new.target, () => resolveSettings(options));
    const send = createSend(settings);
    const { region, token, baseUrl, allowInsecureBaseUrl, log } = settings;
    // Includes what came from the environment, which may have changed by the time of `withOptions`.
    this.#options = {
      ...options,
      token,
      allowInsecureBaseUrl,
      logLevel: log.level,
      // With names in lower case, so that another spelling replaces them.
      headers: settings.headers,
      baseUrls: { ...options.baseUrls, [region]: baseUrl },
    };
    this.#send = send;
    this.region = region;
    this.baseUrl = baseUrl;
    this.orgs = new OrgsResource(send);
    this.variables = new VariablesResource(send);
    this.phoneNumbers = new PhoneNumbersResource(send);
    this.tools = new ToolsResource(send);
    this.conversations = new ConversationsResource(send);
    this.workspaces = new WorkspacesResource(send);
  }

  /**
   * A client with some options changed: another token for one agent, another timeout. Options that are left out, or
   * undefined, stay as they are; `headers` and `baseUrls` are merged.
   *
   * @throws {ConfigurationError} When an option is wrong, or `region` changes without a `token`: a secret belongs to
   * one region (specification, 5.1), and must not be sent to the other.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * const perAgent = platform.withOptions({ token: process.env.AGENT_SECRET });
   * ```
   */
  withOptions(options: AgentPlatformOptions): AgentPlatform {
    // Its frame is looked for.
    // oxlint-disable-next-line typescript/unbound-method
    return forCaller(this.withOptions, () => derived(this.#merged(options)));
  }

  #merged(options: AgentPlatformOptions): AgentPlatformOptions {
    refuseUnknown(options, PLATFORM_OPTIONS);
    // Not by `??` or `&&`: null is refused, as for a new client.
    const { region = this.region, headers = {}, baseUrls = {} } = options;
    refuseUnknown(baseUrls, REGION_NAMES, 'baseUrls');
    const other = regionOf(region);
    if (other !== undefined && other !== this.region && options.token === undefined) {
      refuseOption(
        'token',
        `is missing: a secret belongs to one region, and withOptions changes it to '${region}'`,
      );
    }
    return {
      ...this.#options,
      ...defined(options),
      region,
      headers: { ...this.#options.headers, ...checkHeaders(headers) },
      baseUrls: { ...this.#options.baseUrls, ...defined(baseUrls) },
    };
  }

  /**
   * Sends an operation that was declared with `endpoint()`: one of `endpoints`, or your own for what the specification
   * does not show. Checks, retries and errors are the same as for the methods: a 2xx with `success: false` or
   * `isGood: false` is an `OperationFailedError` here too.
   *
   * @param endpoint - The operation.
   * @param args - The input (`path`, `body`, `query`, as the endpoint declares them), then the options of this call.
   *
   * @example
   * ```ts
   * import { AgentPlatform, endpoint, withData } from 'agent-platform-sdk';
   * import * as z from 'zod';
   *
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
    // An endpoint without input takes `{}`; any other has been given its own.
    return this.#send(endpoint, input as EndpointInput<Path, Body, Query>, options);
  }
}

/** Outside the class: bundlers rename one that mentions itself, and users would read `_AgentPlatform` in their logs. */
function derived(options: AgentPlatformOptions): AgentPlatform {
  return new AgentPlatform(options);
}
