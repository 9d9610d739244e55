import { REGIONS } from '../ground/regions.js';
import type { FakePlatform } from '../testing/fake.js';
import type { FakeServer } from '../testing/http-server.js';
import type { FakeRequest } from '../testing/request-log.js';
import type { SeedHandles } from '../testing/seed.js';
import type { DeliveryRecord } from '../testing/webhooks/deliver.js';

/** What is printed when the fake listens: addresses, credentials, ids and settings, ready to be copied. */
export function greeting(fake: FakePlatform, server: FakeServer): string {
  const { workspaceSecret } = fake.seed.eu;
  return `The fake platform listens at ${server.url}. Ctrl+C ends it.
${REGIONS.map((region) => recordsOf(fake.seed[region], `${region}  ${server.baseUrls[region]}/v3`)).join('\n')}

Settings for it, to be saved as .env and used with: node --env-file=.env app.mjs
AGENT_PLATFORM_REGION=eu
AGENT_PLATFORM_TOKEN=${workspaceSecret}
AGENT_PLATFORM_BASE_URL_EU=${server.baseUrls.eu}
AGENT_PLATFORM_BASE_URL_NA=${server.baseUrls.na}
WORKSPACE_SECRET=${workspaceSecret}

Sends an event to the addresses of --webhook:
curl -H content-type:application/json -d '{"type":"lead_captured"}' ${server.url}/_fake/events
`;
}

function recordsOf(handles: SeedHandles, title: string): string {
  const { workspaceId, workspaceSecret, agentId, agentSecret } = handles;
  const { orgId, toolId, convoId, secondWorkspaceId, rentedNumberSid, importedNumberSid } = handles;
  return `
${title}
    ${workspaceId}  ${workspaceSecret}
    ${agentId}      ${agentSecret}
    ${orgId}, ${toolId}, ${convoId}, ${secondWorkspaceId}, ${rentedNumberSid} (rented), ${importedNumberSid} (imported)`;
}

/** `eu POST /agents/agent_eu_1/variables 400 createVariable` */
export function requestLine(request: FakeRequest): string {
  const { region, method, path, status, endpoint, fault } = request;
  const struck = fault === undefined ? '' : ` (fault: ${fault})`;
  return `${region} ${method} ${path} ${status ?? 'no answer'} ${endpoint ?? 'unknown route'}${struck}`;
}

/** `webhook lead_captured 200 http://127.0.0.1:3000/webhooks` */
export function deliveryLine({ type, outcome, status, address, error }: DeliveryRecord): string {
  const reason = error === undefined ? '' : `: ${error}`;
  return `webhook ${type} ${status ?? outcome} ${address}${reason}`;
}
