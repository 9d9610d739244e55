import { isLoopback } from '../../utils/loopback.js';
import { REGIONS, type Region } from '../../utils/regions.js';
import type { FakeState } from '../fake/records/records.js';

/** The environment of a program that calls the fake at this address, as the text of a file `.env`. */
export function dotenv(state: FakeState, region: Region, origin: string): string {
  const [workspace] = state[region].workspaces.values();
  const secret = workspace?.secret ?? '';
  const lines = [
    `AGENT_PLATFORM_REGION=${region}`,
    `AGENT_PLATFORM_TOKEN=${secret}`,
    ...REGIONS.map((each) => `AGENT_PLATFORM_BASE_URL_${each.toUpperCase()}=${origin}/${each}`),
    // The client refuses plain http: to another machine without it.
    ...(isLoopback(new URL(origin).hostname) ? [] : ['AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true']),
    `AGENT_PLATFORM_WEBHOOK_SECRET=${secret}`,
  ];
  return lines.join('\n');
}
