import { readFileSync } from 'node:fs';
import { formatIssues } from '../ground/issues.js';
import { parseJson } from '../ground/json.js';
import { REGIONS } from '../ground/regions.js';
import { VERSION } from '../ground/version.js';
import { checkInput } from '../testing/check-input.js';
import type { DeliveryRecord } from '../testing/deliver.js';
import { createFakePlatform, type FakePlatform } from '../testing/fake.js';
import type { FakeServer } from '../testing/http-server.js';
import type { StartRecords } from '../testing/records.js';
import type { FakeRequest } from '../testing/request-log.js';
import type { SeedHandles } from '../testing/seed.js';
import { startRecordsSchema } from '../testing/state.js';
import { type Command, HELP, parseCommand, UsageError } from './command-line.js';

/** The terminal that a command speaks to, and that ends it. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  /** Resolves when the user ends the command. */
  stopped(): Promise<void>;
}

/** Runs the command. Resolves with the exit code: 0, 1 when it failed, 2 when the command line is wrong. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const command = parseCommand(args);
    if (command.kind === 'fake') return await runFake(command, terminal);
    terminal.out(command.kind === 'help' ? HELP : VERSION);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.error(`${error.message}\nagent-platform-sdk --help tells more.`);
      return 2;
    }
    terminal.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

type FakeCommand = Extract<Command, { readonly kind: 'fake' }>;

/** Reads the seed, makes the fake, listens, and waits for the end; each request and delivery is a line meanwhile. */
async function runFake(command: FakeCommand, terminal: Terminal): Promise<number> {
  const fake = makeFake(command.seed, (line) => terminal.out(line));
  for (const url of command.webhooks) {
    for (const region of REGIONS) fake.webhooks.subscribe(url, { region });
  }
  const server = await listen(fake, command);
  // Before the greeting: who reads it may end the command at once.
  const stopped = terminal.stopped();
  terminal.out(greeting(fake, server));
  await stopped;
  await server.close();
  return 0;
}

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

async function listen(fake: FakePlatform, { port, host }: FakeCommand): Promise<FakeServer> {
  try {
    return await fake.listen({ port, host, control: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem =
      code === 'EADDRINUSE'
        ? `Port ${port} is in use. Choose another with --port, or 0 for any free one.`
        : `Cannot listen at ${host}:${port}: ${message}`;
    throw new Error(problem, { cause: error });
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
