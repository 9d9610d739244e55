import { isLoopback } from '../../utils/loopback.js';
import { REGIONS, type Region } from '../../utils/regions.js';
import type { FakeState } from '../fake/records/records.js';

/** Writes a file `.env` for a program that calls the fake at this address. */
export function dotenv(state: FakeState, region: Region, origin: string): string {
  const [workspace] = state[region].workspaces.values();
  const secret = workspace?.secret ?? '';
  return [
    `AGENT_PLATFORM_REGION=${region}`,
    `AGENT_PLATFORM_TOKEN=${secret}`,
    ...REGIONS.map((each) => `AGENT_PLATFORM_BASE_URL_${each.toUpperCase()}=${origin}/${each}`),
    // The client refuses plain http: to another machine without it.
    ...(isLoopback(new URL(origin).hostname) ? [] : ['AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true']),
    `AGENT_PLATFORM_WEBHOOK_SECRET=${secret}`,
  ].join('\n');
}
