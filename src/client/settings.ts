import * as z from 'zod/v4/mini';
import { anything, flag } from '../schemas/fields.js';
import { closedObject, openObject } from '../schemas/object.js';
import { warnOfUnits } from '../utils/durations.js';
import { isBrowser, readEnvironment, runtimeName } from '../utils/environment.js';
import { typeName } from '../utils/issues.js';
import { isObject, isPlain } from '../utils/json.js';
import { createLogger, type LeveledLogger, LOG_LEVEL_VARIABLE } from '../utils/logger.js';
import { pastedProblem } from '../utils/pasted.js';
import { byRegion, REGIONS, type Region } from '../utils/regions.js';
import { VERSION } from '../utils/version.js';
import { isThenable } from '../utils/waiting.js';
import {
  checkedBy,
  checkOptions,
  defined,
  func,
  loggingOptions,
  methods,
  milliseconds,
  type OptionFields,
  type OptionProblem,
  oneOf,
  wholeNumber,
} from '../validation/check-options.js';
import { DriftReporter } from '../validation/drift.js';
import { DEFAULT_VALIDATION, VALIDATION_MODES, type ValidationMode } from '../validation/validate.js';
import { addressProblems, versionedUrl } from './base-url.js';
import type { DriftHookContext, Hooks } from './hooks.js';
import type {
  AgentPlatformOptions,
  CallOptions,
  FetchFunction,
  FetchOptions,
  HeadersInput,
  RequestOptions,
  TokenSource,
} from './options.js';

/** The settings of one call: the client's with the call's own. */
export interface CallSettings {
  readonly token: TokenSource | undefined;
  readonly timeout: number;
  readonly totalTimeout: number | undefined;
  readonly maxRetries: number;
  readonly validation: ValidationMode;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetchOptions?: FetchOptions | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The checked options of a client. */
export interface Settings extends CallSettings {
  readonly region: Region;
  readonly baseUrl: string;
  readonly fetch: FetchFunction | undefined;
  readonly hooks: Hooks;
  readonly log: LeveledLogger;
  readonly driftReporter: DriftReporter<DriftHookContext>;
  readonly maxResponseBytes: number;
  /** As given, with what came from the environment, which may have changed by the time of `withOptions`. */
  readonly options: AgentPlatformOptions;
}

const DEFAULTS: Omit<CallSettings, 'headers'> & Pick<Settings, 'hooks' | 'maxResponseBytes'> = {
  token: undefined,
  timeout: 60_000,
  totalTimeout: undefined,
  maxRetries: 2,
  validation: DEFAULT_VALIDATION,
  hooks: {},
  // 64 MiB. A product would stay in every bundle: esbuild does not drop it.
  maxResponseBytes: 67_108_864,
};

/** The variables that replace absent options, by option. A region without one does not compile. */
const VARIABLES = {
  region: 'AGENT_PLATFORM_REGION',
  token: 'AGENT_PLATFORM_TOKEN',
  baseUrls: 'AGENT_PLATFORM_BASE_URL_EU or AGENT_PLATFORM_BASE_URL_NA',
  'baseUrls.eu': 'AGENT_PLATFORM_BASE_URL_EU',
  'baseUrls.na': 'AGENT_PLATFORM_BASE_URL_NA',
  allowInsecureBaseUrl: 'AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true',
  logLevel: LOG_LEVEL_VARIABLE,
} satisfies Readonly<Record<string, string> & Record<`baseUrls.${Region}`, string>>;

/** Makes the schemas of options for the first client: a program that only receives webhooks makes none. */
function createSchemas() {
  const region = oneOf(REGIONS);
  const token = checkedBy((value) => (typeof value === 'function' ? undefined : tokenProblem(value)));
  const own = z.optional(checkedBy(() => 'cannot be set here: the client sets it'));
  const callFields: OptionFields<CallOptions> = {
    token: z.optional(token),
    timeout: z.optional(milliseconds()),
    totalTimeout: z.optional(milliseconds()),
    maxRetries: z.optional(wholeNumber(0)),
    validation: z.optional(oneOf(VALIDATION_MODES)),
    headers: z.optional(checkedBy(headersProblem)),
    fetchOptions: z.optional(
      openObject(() => ({
        method: own,
        body: own,
        headers: own,
        redirect: own,
        signal: own,
        dispatcher: z.optional(methods('dispatch')),
      })),
    ),
  };
  const requestFields: OptionFields<RequestOptions> = {
    ...callFields,
    signal: z.optional(checkedBy(signalProblem)),
  };
  const { validation, ...rawFields } = requestFields;
  const hookFields: OptionFields<Hooks> = {
    onRequest: z.optional(func),
    onResponse: z.optional(func),
    onRetry: z.optional(func),
    onDrift: z.optional(func),
    onEnd: z.optional(func),
  };
  const platformFields: OptionFields<AgentPlatformOptions> = {
    region: z.optional(region),
    ...callFields,
    // The addresses are checked in `base-url.ts`, beside the region.
    baseUrls: z.optional(closedObject(() => byRegion(() => anything))),
    fetch: z.optional(func),
    ...loggingOptions(),
    hooks: z.optional(closedObject(() => hookFields)),
    maxResponseBytes: z.optional(wholeNumber(1)),
    dangerouslyAllowBrowser: flag,
    allowInsecureBaseUrl: flag,
  };
  return {
    platform: closedObject(() => ({ ...platformFields, region, token })),
    changes: closedObject(() => platformFields),
    request: closedObject(() => requestFields),
    raw: closedObject(() => ({ ...rawFields, query: anything, body: anything })),
  };
}

let schemas: ReturnType<typeof createSchemas> | undefined;
const getSchemas = () => (schemas ??= createSchemas());

/** Checks the options of a client, and fills in what the environment and the defaults give. */
export function resolveSettings(options: AgentPlatformOptions): Settings {
  const schema = getSchemas().platform;
  const about = { of: 'AgentPlatform', variables: VARIABLES };
  // The schema refuses what has no fields to look at.
  const given = isPlain(options) ? withEnvironment(copied('platform', options)) : options;
  checkOptions(schema, given, about, () => [
    ...addressProblems(given),
    ...browserProblems(given),
    ...fetchProblems(given, given.fetch),
  ]);
  const call = withCallOptions({ ...DEFAULTS, headers: defaultHeaders() }, given);
  const log = createLogger(given.logger, given.logLevel);
  // Just checked: the client has a region, and an address for it.
  const region = given.region as Region;
  const { hooks = DEFAULTS.hooks, maxResponseBytes = DEFAULTS.maxResponseBytes } = given;
  const baseUrl = versionedUrl(given.baseUrls?.[region] as string);
  warnOfUnits(log, 'AgentPlatform', { timeout: given.timeout, totalTimeout: given.totalTimeout });
  return {
    ...call,
    region,
    baseUrl,
    fetch: given.fetch,
    hooks,
    log,
    driftReporter: new DriftReporter(log, (context) => hooks.onDrift?.(context)),
    maxResponseBytes,
    options: { ...given, headers: call.headers, logLevel: log.level },
  };
}

/** The headers of every request, unless the options have others. Later options do not change these. */
function defaultHeaders(): CallSettings['headers'] {
  const accept = 'application/json';
  // Browsers set their own user agent; another one would need a CORS preflight.
  if (isBrowser()) return { accept };
  return { accept, 'user-agent': `agent-platform-sdk/${VERSION} (${runtimeName()})` };
}

/** Checks changes to the options of a client, which may be a few of them. */
export function checkChanges(options: AgentPlatformOptions): void {
  checkOptions(getSchemas().changes, options, { of: 'withOptions', variables: VARIABLES });
}

/** Checks the options of a request that no declaration describes. */
export function checkRawOptions(options: unknown, call: string): void {
  checkOptions(getSchemas().raw, options, { of: call });
}

/** Whether a name is that of an option of one call. */
export function isCallOption(name: string): boolean {
  return Object.hasOwn(getSchemas().request.shape, name);
}

/** Merges the options of one call, such as `GET /tools/{toolId}`, with the client's. Most calls have none. */
export function resolveCall(
  settings: Settings,
  options: RequestOptions | undefined,
  call: string,
): CallSettings {
  if (options === undefined) return settings;
  checkOptions(getSchemas().request, options, { of: call }, () => fetchProblems(options, settings.fetch));
  warnOfUnits(settings.log, call, { timeout: options.timeout, totalTimeout: options.totalTimeout });
  return withCallOptions(settings, copied('request', options));
}

function withCallOptions(base: CallSettings, options: CallOptions): CallSettings {
  const { token = base.token } = options;
  return {
    ...base,
    ...defined(options),
    token: typeof token === 'string' ? token.trim() : token,
    headers: mergeHeaders(base.headers, options.headers),
    fetchOptions: { ...base.fetchOptions, ...options.fetchOptions },
  };
}

/** Copies options with those that they inherit, such as the getters of a class: `...` leaves them out. */
export function copied<Options extends object>(of: keyof ReturnType<typeof createSchemas>, options: Options) {
  // The names are those of options.
  const names = Object.keys(getSchemas()[of].shape) as (keyof Options)[];
  return { ...options, ...Object.fromEntries(names.map((name) => [name, options[name]])) };
}

/** Merges headers. Names become lower case, so that another spelling replaces a header. */
export function mergeHeaders(
  base: Readonly<Record<string, string>>,
  headers: HeadersInput | undefined,
): Readonly<Record<string, string>> {
  if (headers === undefined) return base;
  // Just checked: each has a name and a value.
  return { ...base, ...Object.fromEntries(new Headers(pairsOf(headers) as [string, string][])) };
}

/** The names and values of headers; not those under symbols, which `node:http2` adds. */
function pairsOf(headers: object): unknown[] {
  return Symbol.iterator in headers ? [...(headers as Iterable<unknown>)] : Object.entries(headers);
}

/**
 * Returns the options, with the environment's in place of undefined ones. Null is not replaced, but refused.
 */
function withEnvironment(options: AgentPlatformOptions): AgentPlatformOptions {
  const {
    // The check says whether it is a region.
    region = readEnvironment(VARIABLES.region)?.toLowerCase() as Region | undefined,
    token = readEnvironment(VARIABLES.token),
    baseUrls = {},
    allowInsecureBaseUrl = readFlag('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL'),
  } = options;
  const given = { ...options, region, token, baseUrls, allowInsecureBaseUrl };
  if (!isObject(baseUrls)) return given;
  const fromEnvironment = byRegion((name) => readEnvironment(VARIABLES[`baseUrls.${name}`]));
  return { ...given, baseUrls: { ...fromEnvironment, ...defined(baseUrls) } };
}

/** Reads a variable that is true or false. Of anything else, the check says that it is neither. */
function readFlag(variable: string): boolean | undefined {
  const word = readEnvironment(variable)?.toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : (word as undefined);
}

function browserProblems({ dangerouslyAllowBrowser }: AgentPlatformOptions): OptionProblem[] {
  if (!isBrowser() || dangerouslyAllowBrowser === true) return [];
  const text = 'is not set: in a browser everyone can read the token, so call from your backend.';
  return [{ option: 'dangerouslyAllowBrowser', text }];
}

/** Describes why a token cannot be sent, without its value. */
export function tokenProblem(token: unknown): string | undefined {
  if (typeof token !== 'string') return 'must be a string or a function';
  return token.trim() === '' ? 'is blank' : pastedProblem(token.trim());
}

/** A user-supplied `fetch` gets the request only. */
function fetchProblems({ fetchOptions }: CallOptions, fetch: unknown): OptionProblem[] {
  return fetch && fetchOptions ? [{ option: 'fetchOptions', text: 'cannot be combined with `fetch`.' }] : [];
}

function signalProblem(signal: unknown): string | undefined {
  const isSignal = typeof (signal as Partial<AbortSignal> | null)?.addEventListener === 'function';
  return isSignal ? undefined : 'must be an AbortSignal, such as `controller.signal`';
}

/** Headers of the client, and of a connection: undici refuses these, or sends a body of another length. */
const OWN_HEADERS = /^(authorization|content-(type|length)|transfer-encoding|expect|keep-alive|upgrade)$/i;

/** Describes what is wrong with headers, without their values, which may be secrets. */
export function headersProblem(headers: unknown): string | undefined {
  const form = 'must be an object, a list of pairs or a Headers';
  // A `Headers` may be of another realm (jest#2549), an object without a prototype (nodejs/node#40263).
  if (typeof headers !== 'object' || headers === null || isThenable(headers)) return form;
  if ('next' in headers && Symbol.iterator in headers)
    return `${form}, not an iterator, which can be read only once`;
  for (const pair of pairsOf(headers)) {
    const [name, value] = Array.isArray(pair) ? (pair as unknown[]) : [];
    if (typeof name !== 'string') return form;
    if (typeof value !== 'string') return `must have strings as values, but ${name} has ${typeName(value)}`;
    if (OWN_HEADERS.test(name)) {
      const option = /^auth/i.test(name) ? ' (see `token`)' : '';
      return `contain ${name.toLowerCase()}, which the client or \`fetch\` sets itself${option}`;
    }
    try {
      new Headers().set(name, value);
    } catch {
      return `contain a name or a value that HTTP does not allow: ${name}`;
    }
  }
  return undefined;
}
