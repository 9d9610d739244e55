import { REGIONS } from '../regions.js';
import type { FakePlatform } from '../testing/fake.js';
import type { FakeServer } from '../testing/http-server.js';
import type { FakeRequest } from '../testing/request-log.js';

/** What is printed when the fake listens: addresses and credentials, ready to be copied. */
export function greeting(fake: FakePlatform, server: FakeServer): string {
  const regions = REGIONS.map((region) => {
    const { workspaceSecret, agentSecret, workspaceId, agentId } = fake.seed[region];
    return `
${region}  ${server.baseUrls[region]}/v3
    ${workspaceId}  ${workspaceSecret}
    ${agentId}      ${agentSecret}`;
  });
  return `The fake platform listens at ${server.url}. Ctrl+C ends it.
${regions.join('\n')}

Settings of the SDK for it:
    AGENT_PLATFORM_REGION=eu
    AGENT_PLATFORM_TOKEN=${fake.seed.eu.workspaceSecret}
    AGENT_PLATFORM_BASE_URL_EU=${server.baseUrls.eu}
    AGENT_PLATFORM_BASE_URL_NA=${server.baseUrls.na}
`;
}

/** `eu POST /agents/agent_eu_1/variables 400 createVariable` */
export function requestLine(request: FakeRequest): string {
  const { region, method, path, status, endpoint, fault } = request;
  const struck = fault === undefined ? '' : ` (fault: ${fault})`;
  return `${region} ${method} ${path} ${status ?? 'no answer'} ${endpoint ?? 'unknown route'}${struck}`;
}
