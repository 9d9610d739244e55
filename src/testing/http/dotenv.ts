import type { Region } from '../../utils/regions.js';
import type { FakePlatform } from '../fake/fake.js';

/** The environment of a program that calls the fake at this address. */
export function environmentOf(fake: FakePlatform, region: Region, origin: string): string {
  const [workspace] = fake.state[region].workspaces.values();
  const isLocal = /^http:\/\/(localhost|127\.|\[::1\])/.test(origin);
  const lines = [
    `AGENT_PLATFORM_REGION=${region}`,
    `AGENT_PLATFORM_TOKEN=${workspace?.secret ?? ''}`,
    `AGENT_PLATFORM_BASE_URL_EU=${origin}/eu`,
    `AGENT_PLATFORM_BASE_URL_NA=${origin}/na`,
    // Beyond this machine, the client refuses plain http: without it.
    ...(isLocal ? [] : ['AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true']),
    `AGENT_PLATFORM_WEBHOOK_SECRET=${workspace?.secret ?? ''}`,
  ];
  return lines.join('\n');
}
