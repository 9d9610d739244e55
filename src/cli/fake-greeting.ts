import { REGIONS } from '../ground/regions.js';
import type { FakePlatform } from '../testing/fake.js';
import { isThisMachine } from '../testing/hosts.js';
import type { FakeServer, ListenOptions } from '../testing/http-server.js';
import type { SeedHandles } from '../testing/seed.js';

/** Addresses, credentials, ids and settings, ready to be copied. */
export function greeting(fake: FakePlatform, server: FakeServer, options: ListenOptions): string {
  const { workspaceSecret } = fake.seed.eu;
  const [name = new URL(server.url).hostname] = options.allowedHosts ?? [];
  const address = `http://${name}:${server.port}`;
  // Beyond this machine, the client takes plain http: only where it is told to.
  const insecure = isThisMachine(name.replace(/^\[|\]$/g, ''))
    ? ''
    : 'AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true\n';
  return `The fake platform listens at ${server.url}. Ctrl+C ends it. Its page: ${server.url}/
${REGIONS.map((region) => recordsOf(fake.seed[region], `${region}  ${server.baseUrls[region]}/v3`)).join('\n')}

Settings for it, to be saved as .env and used with: node --env-file=.env app.mjs
AGENT_PLATFORM_REGION=eu
AGENT_PLATFORM_TOKEN=${workspaceSecret}
AGENT_PLATFORM_BASE_URL_EU=${address}/eu
AGENT_PLATFORM_BASE_URL_NA=${address}/na
${insecure}WORKSPACE_SECRET=${workspaceSecret}
${fromElsewhere(server, options)}
Sends an event to the addresses of --webhook:
curl -H content-type:application/json -d '{"type":"lead_captured"}' ${server.url}/_fake/events
`;
}

/** The settings above are for this machine, unless a name says how others call the fake. */
function fromElsewhere(
  { port }: FakeServer,
  { host = '127.0.0.1', allowedHosts = [] }: ListenOptions,
): string {
  if (isThisMachine(host) || allowedHosts.length > 0) return '';
  return `
From other machines and containers, with the name of this one (--allow-host NAME prints them so):
AGENT_PLATFORM_BASE_URL_EU=http://NAME:${port}/eu, and AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true
`;
}

function recordsOf(handles: SeedHandles, title: string): string {
  const { workspaceId, workspaceSecret, agentId, agentSecret } = handles;
  const { secondWorkspaceId, secondWorkspaceSecret } = handles;
  const { orgId, toolId, convoId, rentedNumberSid, importedNumberSid } = handles;
  return `
${title}
    ${workspaceId}  ${workspaceSecret}
    ${agentId}      ${agentSecret}
    ${orgId}, ${toolId}, ${convoId}, ${rentedNumberSid} (rented), ${importedNumberSid} (imported)
    ${secondWorkspaceId}  ${secondWorkspaceSecret}`;
}
