import { existsSync } from 'node:fs';
import { createFakePlatform, type FakePlatform } from '../testing/fake/fake.js';
import type { StartRecords } from '../testing/fake/records/records.js';
import type { FakeSnapshot } from '../testing/fake/records/region-store.js';
import { dotenv } from '../testing/http/dotenv.js';
import { isThisMachine } from '../testing/http/hosts.js';
import { deliveryRow, type PageRow, requestRow } from '../testing/http/rows.js';
import type { FakeServer, ListenOptions } from '../testing/http/server.js';
import { REGIONS } from '../utils/regions.js';
import { addHandlers } from './added-operations.js';
import { type Command, parse, parseNumber, UsageError } from './command.js';
import { replaceFile, withJson } from './files.js';
import { JSON_OPTION, printEvent, printJson } from './lines.js';
import { listenError } from './listening.js';
import type { Terminal } from './terminal.js';

/** Changes come in bursts, so the state is written this long after the first. */
const WRITE_DELAY_MS = 100;

/** Runs the fake until the user stops it. Prints a line for each request and each delivery. */
export const fake: Command = {
  summary: 'run a fake of the service on this machine',
  help: `agent-platform-sdk fake [options]

Runs a fake of the Conversational Agent Platform REST API (V3) in memory, for both regions. Its page is at /.

Options
  --port <number>      the port to listen on (default: 4010; 0 takes any free port)
  --host <address>     the address to listen on (default: 127.0.0.1, this machine only; 0.0.0.0: all addresses)
  --allow-host <name>  a host name to accept, such as the service in a compose file, or a suffix such as
                       .app.github.dev; repeatable; the printed settings use the first name
  --seed <file>        a JSON file with initial records, in addition to the built-in ones:
                       { "eu": { "agents": [{ "id": "bot" }], "tools": [{ "id": "crm", "agentId": "bot" }] } }
  --state <file>       keeps the records in this file across restarts
  --handlers <file>    a JavaScript module with more operations; ctx.query, ctx.body, ctx.state … as in fake.handle:
                       export default { 'GET /agents/{agentId}/convos': (ctx) => ctx.succeed([]) }
  --webhook <url>      sends every event of both primary workspaces to this address; repeatable
  --json               prints one line of JSON for each request and each delivery

While it runs (send each POST with the content type application/json)
  POST   /_fake/events             send an event      {"type": "lead_captured", "payload": {"leadName": "Dana"}}
  POST   /_fake/subscriptions      add a subscriber   {"url": "http://127.0.0.1:3000/webhooks"}
  POST   /_fake/faults             inject a failure   {"endpoint": "getTool", "status": 503, "times": 2}
  GET    /_fake/requests           list the requests; ?status=503&endpoint=getTool filters
  POST   /_fake/reset              start over         {}
The full list: docs/guides/testing.md`,
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
    const options = {
      port: parseNumber('--port', values.port, 0, 65_535),
      host,
      allowedHosts,
      control: true,
    };
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
      for (const region of REGIONS) platform.webhooks.subscribe(url, { region });
    }
    platform.webhooks.keepSubscriptions();
    const save = state === undefined ? undefined : keepState(platform, state, terminal);
    const server = await start(platform, options);
    // Before the greeting, because its reader may stop the command at once.
    const stopped = terminal.stopped();
    const { url, baseUrls } = server;
    if (json) printJson(terminal, { url, page: `${url}/`, baseUrls, seed: platform.seed });
    else terminal.out(greeting(platform, server, options));
    await stopped;
    await server.close();
    save?.();
    return 0;
  },
};

async function start(platform: FakePlatform, options: ListenOptions & { port: number; host: string }) {
  try {
    return await platform.listen(options);
  } catch (error) {
    throw listenError(error, options.host, options.port);
  }
}

/** Restores the records of a file, and writes them after each change. Returns a function that writes now. */
function keepState(platform: FakePlatform, file: string, terminal: Terminal): () => void {
  if (existsSync(file)) withJson('--state', file, (json) => platform.restore(json as FakeSnapshot));
  const write = (): void => replaceFile(file, `${JSON.stringify(platform.snapshot(), undefined, 2)}\n`);
  try {
    write();
  } catch (error) {
    throw new UsageError(`--state: ${(error as Error).message}`, { cause: error });
  }
  let timer: NodeJS.Timeout | undefined;
  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    try {
      write();
    } catch (error) {
      terminal.error(`Warning: --state: ${(error as Error).message}`);
    }
  };
  platform.onChange((change) => {
    if (change.type === 'changed' && change.what === 'records') timer ??= setTimeout(save, WRITE_DELAY_MS);
  });
  return save;
}

/** Addresses, credentials, ids and settings, ready to copy. */
function greeting(platform: FakePlatform, server: FakeServer, options: ListenOptions): string {
  const { host = '127.0.0.1', allowedHosts = [] } = options;
  const name = allowedHosts.find((each) => !each.startsWith('.'));
  const origin = name === undefined ? server.url : `http://${name}:${server.port}`;
  const regions = REGIONS.map((region) => {
    const { workspaceId, workspaceSecret, agentId, agentSecret, toolId, convoId } = platform.seed[region];
    return `${region}  ${server.baseUrls[region]}/v3
    ${workspaceId}  ${workspaceSecret}
    ${agentId}      ${agentSecret}
    ${toolId}, ${convoId}; all records: ${server.url}/?tab=records&region=${region}`;
  });
  const elsewhere =
    isThisMachine(host) || name !== undefined
      ? ''
      : `
From other machines and containers: replace ${new URL(server.url).host} with a name of this machine (--allow-host
prints it), and set AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true
`;
  return `The fake platform listens at ${server.url}. Its page: ${server.url}/. Press Ctrl+C to stop.

${regions.join('\n')}

Settings for your program. Save them as .env, and run: node --env-file=.env app.mjs
${dotenv(platform.state, 'eu', origin)}
${elsewhere}
Send an event to each --webhook address:
curl -H content-type:application/json -d '{"type":"lead_captured"}' ${server.url}/_fake/events
`;
}

/**
 * Prints `14:03:59  400      12 ms  eu  POST    /agents/agent_eu_1/variables  createVariable`. A request is
 * printed when it ends, a delivery also when it begins: its receiver may take a minute.
 */
function printRow(terminal: Terminal, isJson: boolean, row: PageRow): void {
  const { at, duration, failure, region, verb, name, target, secret, fault, mark } = row;
  const isOpen = duration === undefined;
  if (isOpen && verb !== 'EVENT') return;
  const injected = fault === undefined ? '' : `  (fault: ${fault})`;
  const text = `${region}  ${verb.padEnd(VERB_WIDTH)}  ${name}  ${target}${injected}`;
  const fields = { region, verb, name, target, secret, fault };
  printEvent(terminal, isJson, { at, mark, duration, failure, isOpen, text, fields });
}

/** As wide as `DELETE`. */
const VERB_WIDTH = 6;
