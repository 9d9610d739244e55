import { typeName } from '../utils/issues.js';
import { isObject } from '../utils/json.js';
import { isLoopback } from '../utils/loopback.js';
import { pastedProblem } from '../utils/pasted.js';
import { REGIONS } from '../utils/regions.js';
import type { OptionProblem } from '../validation/check-options.js';
import type { AgentPlatformOptions } from './options.js';

/** Describes what is wrong with the base addresses beyond what the schema of the options checks. */
export function addressProblems({
  region,
  baseUrls,
  allowInsecureBaseUrl,
}: AgentPlatformOptions): OptionProblem[] {
  if (!isObject(baseUrls)) return [];
  const isKnown = REGIONS.some((one) => one === region);
  if (!isKnown && !REGIONS.some((one) => baseUrls[one])) {
    return [{ option: 'baseUrls', text: 'is missing, and has no default.' }];
  }
  return REGIONS.flatMap((one) => {
    const given: unknown = baseUrls[one];
    const isCalled = one === region;
    // An unused region's variable may be empty.
    if (!isCalled && !given) return [];
    const problem = baseUrlProblem(given, allowInsecureBaseUrl === true || !isCalled);
    return problem === undefined ? [] : [{ option: `baseUrls.${one}`, text: `${problem}.` }];
  });
}

/** Describes what is wrong with a base address. */
function baseUrlProblem(given: unknown, mayBeInsecure: boolean): string | undefined {
  if (given === undefined) return 'is missing, and has no default';
  if (typeof given !== 'string') return `must be a string, got ${typeName(given)}`;
  // An address may have letters of any script.
  const pasted = pastedProblem(given.trim().replace(/(?!\w)\p{L}/gu, 'x'));
  if (pasted !== undefined) return pasted;
  // `localhost:4010` is a URL of the protocol `localhost:`.
  if (!/^\s*https?:\/\//i.test(given) || !URL.canParse(given)) {
    return 'is not a URL such as https://api.example.com';
  }
  const { username, password, search, hash, pathname, protocol, host, hostname } = new URL(given);
  if (protocol !== 'https:' && !mayBeInsecure && !isLoopback(hostname)) {
    const exception =
      'To use http: beyond loopback, set `allowInsecureBaseUrl` or AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true';
    return `must start with https:, got ${protocol}//${host}. ${exception}`;
  }
  if (username + password + search + hash !== '') {
    return 'contains a user name, a password, a query or a fragment';
  }
  const [, version = 'v3'] = /\/(v\d+)\/*$/i.exec(pathname) ?? [];
  return version === 'v3' ? undefined : `must end in /v3 or have no version, got /${version}`;
}

/** Returns the address that precedes paths. It ends in `/v3`, without a slash (specification, 5.1). */
export function versionedUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/(\/v3)?\/*$/, '')}/v3`;
}
