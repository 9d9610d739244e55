import { readFileSync } from 'node:fs';
import { formatIssues } from '../ground/issues.js';
import { parseJson } from '../ground/json.js';
import { REGIONS } from '../ground/regions.js';
import { checkInput } from '../testing/check-input.js';
import type { DeliveryRecord } from '../testing/deliver.js';
import { createFakePlatform, type FakePlatform } from '../testing/fake.js';
import type { FakeServer, ListenOptions } from '../testing/http-server.js';
import type { StartRecords } from '../testing/records.js';
import type { FakeRequest } from '../testing/request-log.js';
import type { SeedHandles } from '../testing/seed.js';
import { startRecordsSchema } from '../testing/state.js';
import { addressOf, command, listenProblem, portOf, UsageError } from './command.js';

/** Runs the fake: reads the seed, listens, and waits for the end; each request and delivery is a line meanwhile. */
export const fakeCommand = command({
  name: 'fake',
  summary: 'run a fake of the service on this machine',
  help: `agent-platform-sdk fake [options]

Runs a fake of the Conversational Agent Platform REST API (V3) on this machine, in memory, in both regions.

Options
  --port <number>    where to listen (default: 4010; 0 takes any free port)
  --host <address>   which address to listen on (default: 127.0.0.1, this machine alone); where it is given, subscribers
                     may be on other machines too
  --allow-host <name>
                     a name that the fake is called by, if it has a dot in it; can be repeated
  --seed <file>      a JSON file with records to begin with, beside the built-in ones:
                     { "eu": { "agents": [{ "id": "bot" }], "tools": [{ "id": "crm", "agentId": "bot" }] } }
  --webhook <url>    an address that gets every event of both regions' primary workspaces; can be repeated

While it runs
  POST   /_fake/events          send an event         {"type": "lead_captured", "overrides": {"leadName": "Dana"}}
  POST   /_fake/subscriptions   add a subscriber      {"url": "http://127.0.0.1:3000/webhooks", "events": ["lead_captured"]}
  POST   /_fake/faults          let calls go wrong    {"endpoint": "getTool", "status": 503, "times": 2}
  DELETE /_fake/faults          take all faults away
  POST   /_fake/reset           begin again
  GET    /_fake/requests, GET /_fake/deliveries
Bodies are application/json.`,
  flags: {
    port: { type: 'string', default: '4010' },
    host: { type: 'string' },
    'allow-host': { type: 'string', multiple: true, default: [] },
    seed: { type: 'string' },
    webhook: { type: 'string', multiple: true, default: [] },
  },
  async run({ port, host, 'allow-host': allowedHosts, seed, webhook }, terminal) {
    const onWarning = (message: string): void => terminal.error(`Warning: ${message}`);
    const options = { port: portOf(port), host, allowedHosts, control: true, onWarning };
    const webhooks = webhook.map((url) => addressOf('--webhook', url));
    const fake = makeFake(seed, (line) => terminal.out(line));
    for (const url of webhooks) {
      for (const region of REGIONS) fake.webhooks.subscribe(url, { region });
    }
    const server = await listen(fake, options);
    // Before the greeting: who reads it may end the command at once.
    const stopped = terminal.stopped();
    terminal.out(greeting(fake, server));
    await stopped;
    await server.close();
    return 0;
  },
});

function makeFake(seed: string | undefined, log: (line: string) => void): FakePlatform {
  const regions = seed === undefined ? {} : readSeedFile(seed);
  try {
    return createFakePlatform({
      regions,
      onRequest: (request) => log(requestLine(request)),
      onDelivery: (delivery) => log(deliveryLine(delivery)),
    });
  } catch (error) {
    // A record names one that is not there.
    throw new UsageError(`--seed: ${seed}: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws {UsageError} When the file cannot be read, or is not what a fake can begin with. */
function readSeedFile(path: string): StartRecords {
  const value = parseJson(readText(path));
  if (value === undefined) throw new UsageError(`--seed: ${path} is not JSON.`);
  const checked = checkInput(startRecordsSchema(), value);
  if (checked.ok) return checked.value;
  throw new UsageError(`--seed: ${path} is wrong${formatIssues(checked.issues)}`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // `readFileSync` throws Errors that name the file.
    throw new UsageError(`--seed: ${(error as Error).message}`, { cause: error });
  }
}

async function listen(fake: FakePlatform, options: ListenOptions): Promise<FakeServer> {
  const { host = '127.0.0.1', port = 0 } = options;
  try {
    return await fake.listen(options);
  } catch (error) {
    throw listenProblem(error, host, port);
  }
}

/** Addresses, credentials, ids and settings, ready to be copied. */
function greeting(fake: FakePlatform, server: FakeServer): string {
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
  const { secondWorkspaceId, secondWorkspaceSecret } = handles;
  const { orgId, toolId, convoId, rentedNumberSid, importedNumberSid } = handles;
  return `
${title}
    ${workspaceId}  ${workspaceSecret}
    ${agentId}      ${agentSecret}
    ${orgId}, ${toolId}, ${convoId}, ${rentedNumberSid} (rented), ${importedNumberSid} (imported)
    ${secondWorkspaceId}  ${secondWorkspaceSecret}`;
}

/** `eu POST /agents/agent_eu_1/variables 400 createVariable` */
function requestLine(request: FakeRequest): string {
  const { region, method, path, status, endpoint, fault } = request;
  const struck = fault === undefined ? '' : ` (fault: ${fault})`;
  return `${region} ${method} ${path} ${status ?? 'no answer'} ${endpoint ?? 'unknown route'}${struck}`;
}

/** `webhook lead_captured 200 http://127.0.0.1:3000/webhooks` */
function deliveryLine({ type, outcome, status, address, error }: DeliveryRecord): string {
  const reason = error === undefined ? '' : `: ${error}`;
  return `webhook ${type} ${status ?? outcome} ${address}${reason}`;
}
