import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createFakePlatform, type FakePlatform } from '../testing/fake/fake.js';
import type { StartRecords } from '../testing/fake/records/records.js';
import type { FakeSnapshot } from '../testing/fake/records/store.js';
import { dotenv } from '../testing/http/dotenv.js';
import { isThisMachine } from '../testing/http/hosts.js';
import { deliveryRow, type Row, requestRow } from '../testing/http/rows.js';
import type { FakeServer, ListenOptions } from '../testing/http/server.js';
import { REGIONS } from '../utils/regions.js';
import { type Command, parse, parseNumber, UsageError } from './command.js';
import { printEvent } from './lines.js';
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
  --allow-host <name>  a host name to accept, such as the service in a compose file; repeatable; the printed
                       settings use the first
  --seed <file>        a JSON file with initial records, in addition to the built-in ones:
                       { "eu": { "agents": [{ "id": "bot" }], "tools": [{ "id": "crm", "agentId": "bot" }] } }
  --state <file>       keeps the records in this file across restarts
  --webhook <url>      sends every event of both primary workspaces to this address; repeatable

While it runs (send each POST with the content type application/json)
  POST   /_fake/events             send an event      {"type": "lead_captured", "payload": {"leadName": "Dana"}}
  POST   /_fake/subscriptions      add a subscriber   {"url": "http://127.0.0.1:3000/webhooks"}
  POST   /_fake/faults             inject a failure   {"endpoint": "getTool", "status": 503, "times": 2}
  POST   /_fake/records/eu/tools   add a record       {"id": "crm", "name": "CRM", "agentId": "agent_eu_1"}
  GET    /_fake/requests           list the requests; ?status=503&endpoint=getTool filters
  GET    /_fake/deliveries         list the deliveries; POST /_fake/deliveries/<id>/resend repeats one
  GET    /_fake/state              show all records, with their secrets
  POST   /_fake/reset              start over         {}
The full list: docs/guides/testing.md`,
  async run(args, terminal) {
    const { values } = parse(args, {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      'allow-host': { type: 'string', multiple: true, default: [] },
      seed: { type: 'string' },
      state: { type: 'string' },
      webhook: { type: 'string', multiple: true, default: [] },
    });
    const { host, seed, state, 'allow-host': allowedHosts } = values;
    const options = {
      port: parseNumber('--port', values.port, 0, 65_535),
      host,
      allowedHosts,
      control: true,
    };
    const platform = createFakePlatform({
      ...(seed !== undefined && { regions: readJson('--seed', seed) as StartRecords }),
    });
    platform.onChange((change) => {
      const row =
        change.type === 'request'
          ? requestRow(change.request)
          : change.type === 'delivery'
            ? deliveryRow(change.delivery)
            : undefined;
      if (row?.duration !== undefined) printRow(terminal, row);
    });
    for (const url of values.webhook) {
      for (const region of REGIONS) platform.webhooks.subscribe(url, { region });
    }
    const save = state === undefined ? undefined : keepState(platform, state, terminal);
    const server = await start(platform, options);
    // Before the greeting, because its reader may stop the command at once.
    const stopped = terminal.stopped();
    terminal.out(greeting(platform, server, options));
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
  if (existsSync(file)) platform.restore(readJson('--state', file) as FakeSnapshot);
  const write = (): void => {
    // Written under another name first: a crash must not leave half a file.
    writeFileSync(`${file}.new`, `${JSON.stringify(platform.snapshot(), undefined, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
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

function readJson(option: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw new UsageError(`${option}: cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Addresses, credentials, ids and settings, ready to copy. */
function greeting(platform: FakePlatform, server: FakeServer, options: ListenOptions): string {
  const { host = '127.0.0.1', allowedHosts: [name] = [] } = options;
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

/** Prints `14:03:59  400      12 ms  eu  POST    /agents/agent_eu_1/variables  createVariable`. */
function printRow(terminal: Terminal, { region, verb, name, target, fault, mark, ...row }: Row): void {
  const injected = fault === undefined ? '' : `  (fault: ${fault})`;
  const text = `${region}  ${verb.padEnd(VERB_WIDTH)}  ${name}  ${target}${injected}`;
  printEvent(terminal, { ...row, mark, text });
}

/** As wide as `DELETE`. */
const VERB_WIDTH = 6;
