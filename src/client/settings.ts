import * as z from 'zod/mini';
import { ConfigurationError } from '../errors/index.js';
import { isBrowser, readEnvironment } from '../ground/environment.js';
import { formatPath, typeName } from '../ground/issues.js';
import { isObject } from '../ground/json.js';
import { createLogger, type LeveledLogger, LOG_LEVELS } from '../ground/logger.js';
import { REGIONS, type Region } from '../ground/regions.js';
import {
  checkedBy,
  checkOptions,
  findOptionProblems,
  func,
  methods,
  milliseconds,
  type OptionFields,
  type OptionProblem,
  oneOf,
  positive,
  refuseOptions,
  wholeNumber,
} from '../validation/options.js';
import { DEFAULT_VALIDATION, VALIDATION_MODES, type ValidationMode } from '../validation/validate.js';
import { addressProblems, BASE_URL_VARIABLES, baseUrlProblem, versionedUrl } from './base-url.js';
import type { Hooks } from './hooks.js';
import type {
  AgentPlatformOptions,
  CallOptions,
  FetchFunction,
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
  readonly signal?: AbortSignal | undefined;
}

/** The checked options of a client. */
export interface Settings extends CallSettings {
  readonly region: Region;
  readonly baseUrl: string;
  readonly allowInsecureBaseUrl: boolean;
  readonly fetch: FetchFunction | undefined;
  readonly hooks: Hooks;
  readonly log: LeveledLogger;
  readonly maxResponseBytes: number;
}

const DEFAULTS: CallSettings = {
  token: undefined,
  timeout: 60_000,
  totalTimeout: undefined,
  maxRetries: 2,
  validation: DEFAULT_VALIDATION,
  headers: {},
};
/** 64 MiB. */
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** The variables that replace options which are not given. */
const VARIABLES = {
  region: 'AGENT_PLATFORM_REGION',
  token: 'AGENT_PLATFORM_TOKEN',
  logLevel: 'AGENT_PLATFORM_LOG',
  ...BASE_URL_VARIABLES,
};

/** Made when the first client is: a program that only receives webhooks does not pay for them. */
function createSchemas() {
  const region = oneOf(...REGIONS);
  const token = checkedBy((value) => (typeof value === 'function' ? undefined : tokenProblem(value)));
  const baseUrl = z.optional(checkedBy(baseUrlProblem));
  const callFields: OptionFields<CallOptions> = {
    token: z.optional(token),
    timeout: z.optional(milliseconds()),
    totalTimeout: z.optional(milliseconds()),
    maxRetries: z.optional(wholeNumber(0)),
    validation: z.optional(oneOf(...VALIDATION_MODES)),
    headers: z.optional(checkedBy(headersProblem)),
  };
  const requestFields: OptionFields<RequestOptions> = {
    ...callFields,
    signal: z.optional(methods('addEventListener', 'removeEventListener')),
  };
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
    baseUrls: z.optional(z.strictObject({ eu: baseUrl, na: baseUrl })),
    fetch: z.optional(func),
    logger: z.optional(methods('error', 'warn', 'info', 'debug')),
    logLevel: z.optional(oneOf(...LOG_LEVELS)),
    hooks: z.optional(z.strictObject(hookFields)),
    maxResponseBytes: z.optional(positive()),
    dangerouslyAllowBrowser: z.optional(z.boolean()),
    allowInsecureBaseUrl: z.optional(z.boolean()),
  };
  return {
    platform: z.strictObject({ ...platformFields, region, token }),
    changes: z.strictObject(platformFields),
    request: z.strictObject(requestFields),
  };
}

let schemas: ReturnType<typeof createSchemas> | undefined;

function schemaOf(name: keyof ReturnType<typeof createSchemas>): z.core.$ZodType {
  schemas ??= createSchemas();
  return schemas[name];
}

/** Checks the options of a client, and fills in what the environment and the defaults give. */
export function resolveSettings(options: AgentPlatformOptions): Settings {
  const about = { of: 'AgentPlatform', variables: VARIABLES };
  if (!isObject(options)) refuseOptions(about.of, findOptionProblems(schemaOf('platform'), options, about));
  const given = withEnvironment(options);
  const problems = [
    ...findOptionProblems(schemaOf('platform'), given, about),
    ...addressProblems(given),
    ...browserProblems(given),
  ];
  if (problems.length > 0) refuseOptions(about.of, problems);
  // Just checked: the client has a region, and an address for it.
  const region = given.region as Region;
  return {
    ...withCallOptions(DEFAULTS, given),
    region,
    baseUrl: versionedUrl(given.baseUrls?.[region] as string),
    allowInsecureBaseUrl: given.allowInsecureBaseUrl === true,
    fetch: given.fetch,
    hooks: given.hooks ?? {},
    log: createLogger(given.logger, given.logLevel),
    maxResponseBytes: given.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
  };
}

/** Checks changes to the options of a client, which may be a few of them. */
export function checkChanges(options: AgentPlatformOptions): void {
  checkOptions(schemaOf('changes'), options, { of: 'withOptions', variables: VARIABLES });
}

/** Merges the options of one call with the client's. */
export function resolveCall(settings: Settings, options: RequestOptions): CallSettings {
  // Most calls have none.
  if (isObject(options) && Object.keys(options).length === 0) return settings;
  const of = 'options of the call';
  if (typeof options === 'string') {
    // From JavaScript: `conversations.get(agentId, convoId)`.
    const text = 'must be an object, got string. Two ids are passed by name, in one object.';
    refuseOptions(of, [{ option: 'options', text }]);
  }
  checkOptions(schemaOf('request'), options, { of });
  return { ...withCallOptions(settings, options), signal: options.signal };
}

function withCallOptions(base: CallSettings, options: CallOptions): CallSettings {
  const { token = base.token } = options;
  return {
    token: typeof token === 'string' ? token.trim() : token,
    timeout: options.timeout ?? base.timeout,
    totalTimeout: options.totalTimeout ?? base.totalTimeout,
    maxRetries: options.maxRetries ?? base.maxRetries,
    validation: options.validation ?? base.validation,
    headers: mergeHeaders(base.headers, options.headers),
  };
}

/** Merges headers. Names become lower case, so that another spelling replaces a header. */
export function mergeHeaders(
  base: Readonly<Record<string, string>>,
  headers: HeadersInit | undefined,
): Readonly<Record<string, string>> {
  return headers === undefined ? base : { ...base, ...Object.fromEntries(new Headers(headers)) };
}

/** The options, with what the environment gives for those that are undefined. Null is not replaced, but refused. */
function withEnvironment(options: AgentPlatformOptions): AgentPlatformOptions {
  const {
    // The check says whether it is a region.
    region = readEnvironment(VARIABLES.region)?.toLowerCase() as Region | undefined,
    token = readEnvironment(VARIABLES.token),
    baseUrls = {},
    allowInsecureBaseUrl = readEnvironment('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL') === 'true',
  } = options;
  const given = { ...options, region, token, baseUrls, allowInsecureBaseUrl };
  if (!isObject(baseUrls) || !REGIONS.some((one) => one === region)) return given;
  const key = region as Region;
  const { [key]: baseUrl = readEnvironment(VARIABLES[`baseUrls.${key}`]) } = baseUrls;
  return { ...given, baseUrls: { ...baseUrls, [key]: baseUrl } };
}

function browserProblems({ dangerouslyAllowBrowser }: AgentPlatformOptions): OptionProblem[] {
  if (!isBrowser() || dangerouslyAllowBrowser === true) return [];
  const text = 'is not set: in a browser everyone can read the token, so call from your backend.';
  return [{ option: 'dangerouslyAllowBrowser', text }];
}

/** The token that a token function returned, if it can be sent. */
export function usableToken(token: unknown): string {
  const problem = tokenProblem(token);
  if (typeof token === 'string' && problem === undefined) return token.trim();
  throw new ConfigurationError(`The \`token\` function returned ${typeName(token)}: token ${problem}`, {
    option: 'token',
  });
}

function tokenProblem(token: unknown): string | undefined {
  if (typeof token !== 'string') return 'must be a string or a function';
  const trimmed = token.trim();
  if (trimmed === '') return 'is blank';
  if (/^bearer\s/i.test(trimmed)) return 'is given with `Bearer `, which the client adds itself';
  return /[^\x21-\x7e]/.test(trimmed) ? 'contains a character that HTTP headers do not allow' : undefined;
}

/** Describes what is wrong with headers, without their values, which may be secrets. */
function headersProblem(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null)
    return 'must be an object, a list of pairs or a Headers';
  const entries: unknown[] = Symbol.iterator in headers ? [...(headers as Headers)] : Object.entries(headers);
  for (const entry of entries) {
    const [name, value] = (Array.isArray(entry) ? entry : []) as unknown[];
    if (typeof name !== 'string' || typeof value !== 'string') {
      return `have a value that is no string: ${formatPath([String(name)])}`;
    }
    if (['authorization', 'content-type'].includes(name.toLowerCase())) {
      return `contain ${name.toLowerCase()}, which the client sets itself (the token by the option \`token\`)`;
    }
    if (!isHeader(name, value))
      return `contain a name or a value that HTTP does not allow: ${formatPath([name])}`;
  }
  return undefined;
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}
