import { onOneLine } from '../ground/printable.js';
import { REGIONS } from '../ground/regions.js';
import type { DeliveryRecord } from '../testing/deliver.js';
import { createFakePlatform, type FakePlatform, insideOf } from '../testing/fake.js';
import { isHostName } from '../testing/hosts.js';
import type { FakeServer, ListenOptions } from '../testing/http-server.js';
import type { FakeRequest } from '../testing/request-log.js';
import { addressOf, command, listenProblem, portOf, UsageError } from './command.js';
import { keepState, readSeedFile } from './fake-files.js';
import { greeting } from './fake-greeting.js';
import { site } from './fake-site.js';

/** Runs the fake: reads the seed, listens, and waits for the end; each request and delivery is a line meanwhile. */
export const fakeCommand = command({
  name: 'fake',
  summary: 'run a fake of the service on this machine',
  help: `agent-platform-sdk fake [options]

Runs a fake of the Conversational Agent Platform REST API (V3) on this machine, in memory, in both regions. Its page is at /.

Options
  --port <number>    where to listen (default: 4010; 0 takes any free port)
  --host <address>   which address to listen on (default: 127.0.0.1, this machine alone; 0.0.0.0: every address); where it
                     is given, subscribers may be on other machines too
  --allow-host <name>
                     a name that the fake is called by, such as that of its service in a compose file; the first one is in
                     the settings that are printed; can be repeated
  --seed <file>      a JSON file with records to begin with, beside the built-in ones:
                     { "eu": { "agents": [{ "id": "bot" }], "tools": [{ "id": "crm", "agentId": "bot" }],
                               "conversations": [{ "agentId": "bot", "convoId": "c1", "record": { "state": "closed" } }] } }
  --state <file>     keeps records, faults, and subscriptions added over HTTP in this file over restarts
  --keep <number>    how many of the newest requests, and of the newest deliveries, are kept to be looked at (default: 10000)
  --webhook <url>    an address that gets every event of both regions' primary workspaces; can be repeated

While it runs (the OpenAPI document of the service: GET /openapi.json)
  GET    /_fake/state           everything it holds
  POST   /_fake/records/eu/tools            add a record       {"id": "crm", "name": "CRM", "agentId": "agent_eu_1"}
  GET    /_fake/records/eu/tools            list them; PATCH and DELETE /_fake/records/eu/tools/crm change and remove one
  POST   /_fake/events          send an event         {"type": "lead_captured", "overrides": {"leadName": "Dana"}}
  POST   /_fake/subscriptions   add a subscriber      {"url": "http://127.0.0.1:3000/webhooks", "events": ["lead_captured"]}
  POST   /_fake/faults          let calls go wrong    {"endpoint": "getTool", "status": 503, "times": 2}
  DELETE /_fake/faults          take all faults away
  GET    /_fake/requests        what was called; ?status=503&endpoint=getTool filters
  GET    /_fake/deliveries      what was delivered; POST /_fake/deliveries/<id>/resend delivers it again
  POST   /_fake/reset           begin again: records, requests, faults, deliveries, subscriptions added over HTTP
A POST has the content type application/json, and {} where there is nothing to say.

A test in any language: POST /_fake/reset {}; add records and faults; let your program call the address below
/eu/v3 or /na/v3 with "authorization: Bearer <token>"; look at /_fake/requests.`,
  flags: {
    port: { type: 'string', default: '4010' },
    host: { type: 'string' },
    'allow-host': { type: 'string', multiple: true, default: [] },
    seed: { type: 'string' },
    state: { type: 'string' },
    keep: { type: 'string', default: '10000' },
    webhook: { type: 'string', multiple: true, default: [] },
  },
  async run({ port, host, 'allow-host': allowedHosts, seed, state, keep, webhook }, terminal) {
    const onWarning = (message: string): void => terminal.error(`Warning: ${message}`);
    const options = { port: portOf(port), host, allowedHosts, control: true, onWarning };
    const kept = countOf(keep);
    const wrong = allowedHosts.find((name) => !isHostName(name));
    if (wrong !== undefined)
      throw new UsageError(`--allow-host takes a name without a port, got "${wrong}".`);
    const webhooks = webhook.map((url) => addressOf('--webhook', url));
    const fake = makeFake(seed, (line) => terminal.out(line));
    const forgotten = new Set<string>();
    insideOf(fake).keepNewest(kept, (what) => {
      const bodies = what === 'requests' ? ', and 16 MiB of their bodies' : '';
      if (!forgotten.has(what))
        onWarning(`the oldest ${what} are forgotten from now on: --keep ${kept}${bodies}`);
      forgotten.add(what);
    });
    for (const url of webhooks) {
      for (const region of REGIONS) fake.webhooks.subscribe(url, { region });
    }
    const saveState = state === undefined ? undefined : keepState(fake, state, onWarning);
    const server = await listen(fake, options);
    // Before the greeting: who reads it may end the command at once.
    const stopped = terminal.stopped();
    terminal.out(greeting(fake, server, options));
    await stopped;
    await server.close();
    saveState?.();
    return 0;
  },
});

function countOf(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`--keep takes a whole number, 1 or more, got "${text}".`);
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

async function listen(fake: FakePlatform, options: ListenOptions): Promise<FakeServer> {
  const { host = '127.0.0.1', port = 0 } = options;
  try {
    return await insideOf(fake).listen(options, site);
  } catch (error) {
    throw listenProblem(error, host, port);
  }
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
  return onOneLine(`webhook ${type} ${status ?? outcome} ${address}${reason}`);
}
