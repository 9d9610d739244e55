import { resolveBaseUrl } from './base-url.js';
import { isBrowser, readEnvironment } from './environment.js';
import type { Hooks } from './hooks.js';
import { LeveledLogger } from './logger.js';
import {
  checkFunction,
  checkHeaders,
  checkHooks,
  checkLogger,
  checkOneOf,
  checkPositive,
  checkRetries,
  checkTimeout,
  checkToken,
  refuseOption,
  refuseUnknown,
  resolveLogLevel,
  shown,
} from './option-checks.js';
import type {
  AgentPlatformOptions,
  CallOptions,
  FetchFunction,
  RequestOptions,
  TokenSource,
} from './options.js';
import { REGIONS, type Region } from './regions.js';
import { VALIDATION_MODES, type ValidationMode } from './validation.js';

/** Milliseconds for one attempt. */
export const DEFAULT_TIMEOUT = 60_000;
/** How often a call is tried again. */
export const DEFAULT_MAX_RETRIES = 2;
/** The most bytes of an answer that are read: 64 MiB. */
export const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** What a call is made with: the client's settings, overlaid with the call's own. */
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
  readonly fetch: FetchFunction | undefined;
  readonly hooks: Hooks;
  readonly log: LeveledLogger;
  readonly maxResponseBytes: number;
}

const callOptions = ['token', 'timeout', 'totalTimeout', 'maxRetries', 'validation', 'headers'];
const requestOptions = [...callOptions, 'signal'];
/** The names of the client's options. */
export const PLATFORM_OPTIONS: readonly string[] = [
  ...callOptions,
  'region',
  'baseUrls',
  'fetch',
  'logger',
  'logLevel',
  'hooks',
  'maxResponseBytes',
  'dangerouslyAllowBrowser',
  'allowInsecureBaseUrl',
];

/** Checks the options of a client, and fills in what the environment and the defaults give. */
export function resolveSettings(options: AgentPlatformOptions): Settings {
  refuseUnknown(options, PLATFORM_OPTIONS);
  if (isBrowser() && options.dangerouslyAllowBrowser !== true) {
    refuseOption(
      'dangerouslyAllowBrowser',
      'is not set, and in a browser everyone can read the token: call from your backend',
    );
  }
  const region = resolveRegion(options.region);
  const token = options.token ?? readEnvironment('AGENT_PLATFORM_TOKEN');
  if (token === undefined) {
    refuseOption('token', 'is missing. Set the option `token` or AGENT_PLATFORM_TOKEN');
  }
  const defaults: CallSettings = {
    token,
    timeout: DEFAULT_TIMEOUT,
    totalTimeout: undefined,
    maxRetries: DEFAULT_MAX_RETRIES,
    validation: 'tolerant',
    headers: {},
  };
  return {
    ...overlay(defaults, { ...options, token }),
    region,
    baseUrl: resolveBaseUrl(region, options),
    fetch: checkFunction('fetch', options.fetch),
    hooks: checkHooks(options.hooks),
    log: new LeveledLogger(checkLogger(options.logger), resolveLogLevel(options.logLevel)),
    maxResponseBytes:
      checkPositive('maxResponseBytes', options.maxResponseBytes) ?? DEFAULT_MAX_RESPONSE_BYTES,
  };
}

/** Checks the options of one call and lays them over the client's. */
export function resolveCall(settings: Settings, options: RequestOptions): CallSettings {
  refuseUnknown(options, requestOptions);
  const { signal } = options;
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    refuseOption('signal', 'must be an AbortSignal');
  }
  return { ...overlay(settings, options), signal };
}

function overlay(base: CallSettings, options: CallOptions): CallSettings {
  return {
    token: checkToken(options.token) ?? base.token,
    timeout: checkTimeout('timeout', options.timeout) ?? base.timeout,
    totalTimeout: checkTimeout('totalTimeout', options.totalTimeout) ?? base.totalTimeout,
    maxRetries: checkRetries(options.maxRetries) ?? base.maxRetries,
    validation: checkOneOf('validation', VALIDATION_MODES, options.validation) ?? base.validation,
    headers:
      options.headers === undefined ? base.headers : { ...base.headers, ...checkHeaders(options.headers) },
  };
}

function resolveRegion(option: Region | undefined): Region {
  const region = option ?? readEnvironment('AGENT_PLATFORM_REGION');
  if (REGIONS.includes(region as Region)) return region as Region;
  return refuseOption(
    'region',
    `must be 'eu' or 'na', got ${shown(region)}. Set the option \`region\` or AGENT_PLATFORM_REGION to your dashboard's`,
  );
}
