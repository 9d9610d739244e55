import { readEnvironment } from '../ground/environment.js';
import { isObject } from '../ground/json.js';
import { isLoopback } from '../ground/loopback.js';
import { REGIONS } from '../ground/regions.js';
import type { OptionProblem } from '../validation/options.js';
import type { AgentPlatformOptions } from './options.js';

/** The variables that replace base addresses which are not given. */
export const BASE_URL_VARIABLES = {
  'baseUrls.eu': 'AGENT_PLATFORM_BASE_URL_EU',
  'baseUrls.na': 'AGENT_PLATFORM_BASE_URL_NA',
} as const;

/** Describes why the base address of the region is missing or unsafe. Its form is checked by the schema. */
export function addressProblems({
  region,
  baseUrls,
  allowInsecureBaseUrl,
}: AgentPlatformOptions): OptionProblem[] {
  const key = REGIONS.find((one) => one === region);
  // The schema refuses it.
  if (!isObject(baseUrls)) return [];
  if (key === undefined) {
    const variables = Object.values(BASE_URL_VARIABLES);
    const isGiven = REGIONS.some((one) => baseUrls[one]) || variables.some((name) => readEnvironment(name));
    const text = `is missing: the base address of your region. Set the option \`baseUrls\` or ${variables.join(' or ')}.`;
    return isGiven ? [] : [{ option: 'baseUrls', text }];
  }
  const option = `baseUrls.${key}` as const;
  const hint = `Set the option \`${option}\` or ${BASE_URL_VARIABLES[option]}.`;
  const given = baseUrls[key];
  if (given === undefined) return [{ option, text: `is missing, and has no default. ${hint}` }];
  if (baseUrlProblem(given) !== undefined) return [];
  if (given.trim() === '') return [{ option, text: `is blank. ${hint}` }];
  const { protocol, host, hostname } = new URL(given);
  const mayBeHttp = allowInsecureBaseUrl === true || isLoopback(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && mayBeHttp)) return [];
  const exceptions =
    'http: only on loopback, or with `allowInsecureBaseUrl: true` or AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL';
  return [{ option, text: `must start with https: (${exceptions}), got ${protocol}//${host}. ${hint}` }];
}

/** Describes what is wrong with the form of a base address. */
export function baseUrlProblem(given: unknown): string | undefined {
  if (typeof given !== 'string') return 'must be a string';
  // That of a region which is not called may be an empty variable.
  if (given.trim() === '') return undefined;
  if (!URL.canParse(given)) return 'is not a URL, which begins with https:';
  const url = new URL(given);
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    return 'must be without a user name, a password, a query and a fragment';
  }
  const [version] = /(?<=\/)v\d+(?=\/*$)/i.exec(url.pathname) ?? [];
  if (version !== undefined && version !== 'v3') return `ends in another version than /v3: /${version}`;
  return undefined;
}

/** The address that paths are appended to: ends in `/v3`, without a slash after it (specification, 5.1). */
export function versionedUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/v3$/, '')}/v3`;
}
