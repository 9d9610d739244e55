import { readEnvironment } from '../ground/environment.js';
import { typeName } from '../ground/issues.js';
import { isLoopback } from '../ground/loopback.js';
import type { Region } from '../ground/regions.js';
import { refuseOption, refuseUnknown } from '../validation/option-checks.js';
import type { AgentPlatformOptions } from './options.js';

/** The address that paths are appended to: ends in `/v3`, without a slash after it (specification, 5.1). */
export function resolveBaseUrl(region: Region, options: AgentPlatformOptions): string {
  if (options.baseUrls !== undefined) refuseUnknown(options.baseUrls, { eu: true, na: true }, 'baseUrls');
  const option = `baseUrls.${region}`;
  const variable = `AGENT_PLATFORM_BASE_URL_${region.toUpperCase()}`;
  const { [region]: given = readEnvironment(variable) } = options.baseUrls ?? {};
  const refuse = (problem: string): never =>
    refuseOption(option, `${problem}. Set the option \`${option}\` or ${variable}`);
  if (given === undefined) return refuse('is missing, and has no default');
  if (typeof given !== 'string') return refuse(`must be a string, got ${typeName(given)}`);
  if (given.trim() === '') return refuse('is blank');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined) return refuse('is not a URL, which begins with https:');
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    return refuse('must not hold a user name, a password, a query or a fragment');
  }
  if (!isSafe(url, options)) {
    return refuse(
      `must start with https: (http: only on loopback, or with \`allowInsecureBaseUrl: true\` or AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL), got ${url.protocol}//${url.host}`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v3$/, '')}/v3`;
}

function isSafe({ protocol, hostname }: URL, { allowInsecureBaseUrl }: AgentPlatformOptions): boolean {
  if (protocol === 'https:') return true;
  const isAllowed =
    allowInsecureBaseUrl ?? readEnvironment('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL') === 'true';
  // From JavaScript it may be the text 'false', which is truthy.
  return protocol === 'http:' && (isAllowed === true || isLoopback(hostname));
}
