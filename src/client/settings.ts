import { isBrowser, readEnvironment } from '../ground/environment.js';
import { typeName } from '../ground/issues.js';
import { createLogger, type LeveledLogger, LOG_LEVELS } from '../ground/logger.js';
import { isLoopback } from '../ground/loopback.js';
import { type Region, regionOf } from '../ground/regions.js';
import {
  checkFunction,
  checkHeaders,
  checkHooks,
  checkLogger,
  checkOneOf,
  checkPositive,
  checkTimeout,
  checkToken,
  checkWhole,
  type OptionNames,
  refuseOption,
  refuseUnknown,
  shown,
  type TokenSource,
} from '../validation/option-checks.js';
import { DEFAULT_VALIDATION, VALIDATION_MODES, type ValidationMode } from '../validation/validate.js';
import type { Hooks } from './hooks.js';
import type { AgentPlatformOptions, CallOptions, FetchFunction, RequestOptions } from './options.js';

/** Milliseconds for one attempt. */
const DEFAULT_TIMEOUT = 60_000;
/** Most retries of one call. */
const DEFAULT_MAX_RETRIES = 2;
/** The most bytes of an answer that are read: 64 MiB. */
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** The settings of one call: the client's, overlaid with the call's own. */
export interface CallSettings {
  readonly token: TokenSource | undefined;
  readonly timeout: number;
  readonly totalTimeout: number | undefined;
  readonly maxRetries: number;
  readonly validation: ValidationMode;
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

const callOptions: OptionNames<CallOptions> = {
  token: true,
  timeout: true,
  totalTimeout: true,
  maxRetries: true,
  validation: true,
  headers: true,
};
const requestOptions: OptionNames<RequestOptions> = { ...callOptions, signal: true };
const hookNames: OptionNames<Hooks> = {
  onRequest: true,
  onResponse: true,
  onRetry: true,
  onDrift: true,
  onEnd: true,
};

/** The names of the client's options. */
export const PLATFORM_OPTIONS: OptionNames<AgentPlatformOptions> = {
  ...callOptions,
  region: true,
  baseUrls: true,
  fetch: true,
  logger: true,
  logLevel: true,
  hooks: true,
  maxResponseBytes: true,
  dangerouslyAllowBrowser: true,
  allowInsecureBaseUrl: true,
};

/** The names in `baseUrls`. */
export const REGION_NAMES: OptionNames<Record<Region, unknown>> = { eu: true, na: true };

/** Checks the options of a client, and fills in what the environment and the defaults give. */
export function resolveSettings(options: AgentPlatformOptions): Settings {
  refuseUnknown(options, PLATFORM_OPTIONS);
  if (isBrowser() && options.dangerouslyAllowBrowser !== true) {
    refuseOption(
      'dangerouslyAllowBrowser',
      'is not set: in a browser everyone can read the token, so call from your backend',
    );
  }
  const region = resolveRegion(options.region);
  // Not by `??`: null, such as from a database, must not become another token.
  const { token = readEnvironment('AGENT_PLATFORM_TOKEN') } = options;
  if (token === undefined) {
    refuseOption('token', 'is missing. Set the option `token` or AGENT_PLATFORM_TOKEN');
  }
  const defaults: CallSettings = {
    token,
    timeout: DEFAULT_TIMEOUT,
    totalTimeout: undefined,
    maxRetries: DEFAULT_MAX_RETRIES,
    validation: DEFAULT_VALIDATION,
    headers: {},
  };
  const allowInsecureBaseUrl = allowsInsecure(options);
  return {
    ...overlay(defaults, { ...options, token }),
    region,
    baseUrl: resolveBaseUrl(region, options.baseUrls, allowInsecureBaseUrl),
    allowInsecureBaseUrl,
    fetch: checkFunction('fetch', options.fetch),
    hooks: checkHooks(hookNames, options.hooks) ?? {},
    log: createLogger(checkLogger(options.logger), checkOneOf('logLevel', LOG_LEVELS, options.logLevel)),
    maxResponseBytes:
      checkPositive('maxResponseBytes', options.maxResponseBytes) ?? DEFAULT_MAX_RESPONSE_BYTES,
  };
}

/** Checks the options of one call and lays them over the client's. */
export function resolveCall(settings: Settings, options: RequestOptions): CallSettings {
  refuseUnknown(options, requestOptions);
  const { signal } = options;
  if (signal !== undefined && !isSignal(signal)) refuseOption('signal', 'must be an AbortSignal');
  return { ...overlay(settings, options), signal };
}

/** Not by `instanceof`: one of another realm, or of a polyfill, is a signal too. */
function isSignal(signal: Partial<AbortSignal> | null): boolean {
  return [signal?.addEventListener, signal?.removeEventListener].every((one) => typeof one === 'function');
}

function overlay(base: CallSettings, options: CallOptions): CallSettings {
  return {
    token: checkToken(options.token) ?? base.token,
    timeout: checkTimeout('timeout', options.timeout) ?? base.timeout,
    totalTimeout: checkTimeout('totalTimeout', options.totalTimeout) ?? base.totalTimeout,
    maxRetries: checkWhole('maxRetries', 0, options.maxRetries) ?? base.maxRetries,
    validation: checkOneOf('validation', VALIDATION_MODES, options.validation) ?? base.validation,
    headers:
      options.headers === undefined ? base.headers : { ...base.headers, ...checkHeaders(options.headers) },
  };
}

function resolveRegion(region: unknown = readEnvironment('AGENT_PLATFORM_REGION')): Region {
  return (
    regionOf(region) ??
    refuseOption(
      'region',
      `must be 'eu' or 'na', got ${shown(region)}. Set the option \`region\` or AGENT_PLATFORM_REGION to your dashboard's`,
    )
  );
}

/** The address that paths are appended to: ends in `/v3`, without a slash after it (specification, 5.1). */
function resolveBaseUrl(
  region: Region,
  baseUrls: AgentPlatformOptions['baseUrls'],
  allowInsecure: boolean,
): string {
  if (baseUrls !== undefined) refuseUnknown(baseUrls, REGION_NAMES, 'baseUrls');
  const option = `baseUrls.${region}`;
  const variable = `AGENT_PLATFORM_BASE_URL_${region.toUpperCase()}`;
  const { [region]: given = readEnvironment(variable) } = baseUrls ?? {};
  const refuse = (problem: string): never =>
    refuseOption(option, `${problem}. Set the option \`${option}\` or ${variable}`);
  if (given === undefined) return refuse('is missing, and has no default');
  if (typeof given !== 'string') return refuse(`must be a string, got ${typeName(given)}`);
  if (given.trim() === '') return refuse('is blank');
  if (!URL.canParse(given)) return refuse('is not a URL, which begins with https:');
  const url = new URL(given);
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    return refuse('must not hold a user name, a password, a query or a fragment');
  }
  if (!isSafe(url, allowInsecure)) {
    return refuse(
      `must start with https: (http: only on loopback, or with \`allowInsecureBaseUrl: true\` or AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL), got ${url.protocol}//${url.host}`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v3$/, '')}/v3`;
}

function allowsInsecure({ allowInsecureBaseUrl: given }: AgentPlatformOptions): boolean {
  const isAllowed: unknown = given ?? readEnvironment('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL') === 'true';
  // From JavaScript it may be the text 'false', which is truthy.
  return isAllowed === true;
}

function isSafe({ protocol, hostname }: URL, allowInsecure: boolean): boolean {
  return protocol === 'https:' || (protocol === 'http:' && (allowInsecure || isLoopback(hostname)));
}
