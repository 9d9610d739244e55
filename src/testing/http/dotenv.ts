import { isLoopback } from '../../utils/loopback.js';
import { REGIONS, type Region } from '../../utils/regions.js';
import type { FakeState } from '../fake/records/records.js';

/** Writes a file `.env` for a program that calls the fake at this address. */
export function dotenv(state: FakeState, region: Region, origin: string): string {
  const [workspace] = state[region].workspaces.values();
  const secret = workspace?.secret ?? '';
  return [
    `AGENT_PLATFORM_REGION=${region}`,
    `AGENT_PLATFORM_TOKEN=${quoted(secret)}`,
    ...REGIONS.map((each) => `AGENT_PLATFORM_BASE_URL_${each.toUpperCase()}=${origin}/${each}`),
    // The client refuses plain http: to another machine without it.
    ...(isLoopback(new URL(origin).hostname) ? [] : ['AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true']),
    `AGENT_PLATFORM_WEBHOOK_SECRET=${quoted(secret)}`,
  ].join('\n');
}

/** Quotes a value that readers of such files would change, such as one with a `#`. */
function quoted(value: string): string {
  if (/^[\w.:/-]*$/.test(value)) return value;
  // Inside of double quotes, `\n` would become a line break.
  const quote = ["'", '`', '"'].find((each) => !value.includes(each)) ?? "'";
  return quote + value + quote;
}
