import { existsSync, readFileSync, statSync } from 'node:fs';
import type { StartRecords } from '../testing/fake/records/records.js';
import type { FakeSnapshot } from '../testing/fake/records/region-store.js';
import { createFakePlatform, type FakePlatform } from '../testing/fake-platform.js';
import { dotenv } from '../testing/http/dotenv.js';
import { isThisMachine } from '../testing/http/hosts.js';
import { deliveryRow, type PageRow, requestRow } from '../testing/http/rows.js';
import type { FakeServer } from '../testing/http/server.js';
import { targetAddress } from '../testing/sending/post.js';
import { REGIONS } from '../utils/regions.js';
import { addHandlers } from './added-operations.js';
import { type Command, parse, parseNumber } from './command.js';
import { orUsageError, replaceFile, withJson } from './files.js';
import { JSON_OPTION, printEvent } from './lines.js';
import type { Terminal } from './terminal.js';

/** Changes come in bursts, so the state is written this long after the first. */
const WRITE_DELAY_MS = 100;

/** Runs the fake until the user stops it. Prints a line for each request and each delivery. */
export const fake: Command = {
  summary: 'run a fake of the service on this machine',
  help: `agent-platform-sdk fake [options]

Runs a fake of the Conversational Agent Platform REST API (V3) in memory, for both regions. Its page is at /.
The guide "Testing" (docs/guides/testing.md) lists the HTTP API that sends events and injects failures.

Options
  --port <number>      the port to listen on (default: 4010; 0 takes any free port)
  --host <address>     the address to listen on (default: 127.0.0.1, this machine only; 0.0.0.0: all addresses)
  --allow-host <name>  a host name to accept, such as the service in a compose file, or a suffix such as
                       .app.github.dev; repeatable; the printed settings use the first name
  --seed <file>        a JSON file with records to add at the start:
                       { "eu": { "agents": [{ "id": "bot" }], "tools": [{ "id": "crm", "agentId": "bot" }] } }
  --state <file>       keeps the records in this file across restarts; if it exists, --seed has no effect
  --handlers <file>    a JavaScript module with more operations; each function gets what fake.handle passes:
                       export default { 'GET /agents/{agentId}/convos': ({ succeed }) => succeed([]) }
  --webhook <url>      sends every event of both primary workspaces to this address; repeatable
  --json               prints JSON, one object a line`,
  async run(args, terminal) {
    const { values } = parse(args, {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      'allow-host': { type: 'string', multiple: true, default: [] },
      seed: { type: 'string' },
      state: { type: 'string' },
      handlers: { type: 'string' },
      json: JSON_OPTION,
      webhook: { type: 'string', multiple: true, default: [] },
    });
    const { host, seed, state, handlers, json, 'allow-host': allowedHosts } = values;
    const port = parseNumber('--port', values.port, 0, 65_535);
    const platform =
      seed === undefined
        ? createFakePlatform()
        : withJson('--seed', seed, (json) => createFakePlatform({ regions: json as StartRecords }));
    if (handlers !== undefined) await addHandlers(platform, handlers);
    platform.onChange((change) => {
      if (change.type === 'request') printRow(terminal, json, requestRow(change.request));
      if (change.type === 'delivery') printRow(terminal, json, deliveryRow(change.delivery));
    });
    for (const url of values.webhook) {
      for (const region of REGIONS) platform.webhooks.subscribe(targetAddress('--webhook', url), { region });
    }
    platform.webhooks.keepSubscriptions();
    if (state !== undefined && seed !== undefined && hasText(state)) {
      const problem = `--seed has no effect, because ${state} exists. Remove it to start from ${seed}.`;
      terminal.error(`Warning: ${problem}`);
    }
    const save = state === undefined ? undefined : keepState(platform, state, terminal);
    const server = await platform.listen({ host, port, allowedHosts, control: true });
    // Before the greeting, because its reader may stop the command at once.
    const stopped = terminal.stopped();
    const { url, baseUrls } = server;
    if (json) terminal.out(JSON.stringify({ url, page: `${url}/`, baseUrls, seed: platform.seed }));
    else terminal.out(greeting(platform, server, host, allowedHosts));
    await stopped;
    await server.close();
    return save?.() === false ? 1 : 0;
  },
};

/** A bind mount needs a file, which may be empty at first; so is one whose first write was killed. */
function hasText(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

/** Restores the records of a file, and writes them after each change. Returns a function that writes now. */
function keepState(platform: FakePlatform, file: string, terminal: Terminal): () => boolean {
  if (hasText(file)) withJson('--state', file, (json) => platform.restore(json as FakeSnapshot));
  let written: string | undefined;
  const write = (): void => {
    // Another fake that keeps its records there would lose its own.
    if (written !== undefined && (!existsSync(file) || readFileSync(file, 'utf8') !== written)) {
      const what = `${file} was changed or removed by something else`;
      throw new Error(`${what}, so the fake no longer writes it. Restart the fake.`);
    }
    const text = `${JSON.stringify(platform.snapshot(), undefined, 2)}\n`;
    replaceFile(file, text);
    written = text;
  };
  orUsageError('--state: ', write);
  let timer: NodeJS.Timeout | undefined;
  const save = (): boolean => {
    clearTimeout(timer);
    timer = undefined;
    try {
      write();
      return true;
    } catch (error) {
      terminal.error(`Warning: --state: ${(error as Error).message}`);
      return false;
    }
  };
  platform.onChange((change) => {
    if (change.type === 'changed' && change.what === 'records') timer ??= setTimeout(save, WRITE_DELAY_MS);
  });
  return save;
}

/** Addresses, credentials, ids and settings, ready to copy. */
function greeting(
  platform: FakePlatform,
  { url, port, baseUrls }: FakeServer,
  host: string,
  allowedHosts: readonly string[],
): string {
  const name = allowedHosts.find((each) => !each.startsWith('.'));
  const regions = REGIONS.map((region) => {
    const { workspaceId, workspaceSecret, agentId, agentSecret, toolId, convoId } = platform.seed[region];
    return `${region}  ${baseUrls[region]}/v3
    ${workspaceId}  ${workspaceSecret}
    ${agentId}      ${agentSecret}
    ${toolId}, ${convoId}; all records: ${url}/?tab=records&region=${region}`;
  });
  const elsewhere = `
On other machines and in containers, replace ${new URL(url).host} with a name of this machine, and set
AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true. With --allow-host, the settings above have that name.
`;
  return `Listening at ${url}. Press Ctrl+C to stop. Open ${url}/ to watch calls and events.

${regions.join('\n')}

Settings for your program. Save them as .env, and run: node --env-file=.env app.mjs
${dotenv(platform.state, 'eu', name === undefined ? url : `http://${name}:${port}`)}
${isThisMachine(host) || name !== undefined ? '' : elsewhere}
Send an event to each --webhook address:
curl -H content-type:application/json -d '{"type":"lead_captured"}' ${url}/_fake/events
`;
}

/**
 * Prints `14:03:59  400      12 ms  eu  POST    /agents/agent_eu_1/variables  createVariable`. A request is
 * printed when it ends, a delivery also when it begins: its receiver may take a minute.
 */
function printRow(terminal: Terminal, isJson: boolean, row: PageRow): void {
  const { at, duration, failure, note, region, verb, name, target, secret, fault, mark } = row;
  if (duration === undefined && verb !== 'EVENT') return;
  const injected = fault === undefined ? '' : `  (fault: ${fault})`;
  // As wide as `DELETE`.
  const text = `${region ?? '–'}  ${verb.padEnd(6)}  ${name}  ${target}${injected}`;
  const fields = { region, verb, name, target, secret, fault };
  printEvent(terminal, isJson, { at, mark, duration, failure, note, text, fields });
}
