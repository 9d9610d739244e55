import { isObject } from '../ground/json.js';
import { isLoopback } from '../ground/loopback.js';
import { REGIONS } from '../ground/regions.js';
import type { OptionProblem } from '../validation/options.js';
import type { AgentPlatformOptions } from './options.js';

/** Describes why the base address of the region is missing or unsafe. Its form is checked by the schema. */
export function addressProblems({
  region,
  baseUrls,
  allowInsecureBaseUrl,
}: AgentPlatformOptions): OptionProblem[] {
  if (!isObject(baseUrls)) return [];
  const key = REGIONS.find((one) => one === region);
  const option = key === undefined ? 'baseUrls' : `baseUrls.${key}`;
  const given = key === undefined ? (baseUrls.eu ?? baseUrls.na) : baseUrls[key];
  if (given === undefined) return [{ option, text: 'is missing, and has no default.' }];
  if (key === undefined || baseUrlProblem(given) !== undefined) return [];
  if (given.trim() === '') return [{ option, text: 'is blank.' }];
  const { protocol, host, hostname } = new URL(given);
  const mayBeHttp = allowInsecureBaseUrl === true || isLoopback(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && mayBeHttp)) return [];
  const exceptions =
    'http: only on loopback, or with `allowInsecureBaseUrl: true` or AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true';
  return [{ option, text: `must start with https: (${exceptions}), got ${protocol}//${host}.` }];
}

/** Describes what is wrong with the form of a base address. */
export function baseUrlProblem(given: unknown): string | undefined {
  if (typeof given !== 'string') return 'must be a string';
  // That of a region which is not called may be an empty variable.
  if (given.trim() === '') return undefined;
  if (!URL.canParse(given)) return 'is not a URL such as https://api.example.com';
  const { username, password, search, hash, pathname } = new URL(given);
  if (username + password + search + hash !== '') {
    return 'contains a user name, a password, a query or a fragment';
  }
  const [, version = 'v3'] = /\/(v\d+)\/*$/i.exec(pathname) ?? [];
  return version === 'v3' ? undefined : `ends in another version than /v3: /${version}`;
}

/** The address that paths are appended to: ends in `/v3`, without a slash after it (specification, 5.1). */
export function versionedUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/(\/v3)?\/*$/, '')}/v3`;
}
