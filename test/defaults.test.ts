import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import {
  AgentPlatform,
  type AgentPlatformOptions,
  createMemoryDedupe,
  createWebhookHandlers,
  createWebhookReceiver,
  type DedupeStore,
  drain,
  endpoint,
  type Logger,
  parseWebhook,
  parseWebhookRequest,
  type WebhookReceiverOptions,
} from 'agent-platform-sdk';
import { createFakePlatform, type FaultInput, type ListenOptions } from 'agent-platform-sdk/testing';
import { vi } from 'vitest';
import * as z from 'zod';
import { lowestLevel, testDefaults, whereLogged } from './support/documented-defaults.js';
import { delivery, minimal, post, secret, settle } from './webhooks/deliveries.js';

// Every default that the doc comments of client, receiver, dedupe store and fake give. Those of what needs
// Redis are in bullmq/defaults.test.ts.

const hang = () => new Promise<never>(() => undefined);

/** Returns the time in ms after which an act settles that only timers end. */
async function timeOf(act: () => Promise<unknown>): Promise<number> {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  const start = Date.now();
  let isSettled = false;
  void Promise.allSettled([act()]).then(() => (isSettled = true));
  for (await settle(); !isSettled; await settle()) await vi.advanceTimersToNextTimerAsync();
  const time = Date.now() - start;
  vi.useRealTimers();
  return time;
}

/** A server whose connections never end. */
const openServer = (close: () => void) => ({
  keepAliveTimeout: 0,
  close,
  prependListener: () => undefined,
  closeIdleConnections: () => undefined,
  closeAllConnections: () => undefined,
});

/** Names the validation mode that forgives one thing and not the other. */
async function modeThat(
  takesDrift: () => Promise<unknown>,
  takesWrong: () => Promise<unknown>,
): Promise<string> {
  const [drift, wrong] = await Promise.allSettled([takesDrift(), takesWrong()]);
  if (drift.status === 'rejected') return 'strict';
  return wrong.status === 'rejected' ? 'tolerant' : 'off';
}

function connect(options: AgentPlatformOptions): AgentPlatform {
  const baseUrls = { eu: 'https://eu.service.test' };
  return new AgentPlatform({ region: 'eu', token: 'the-token', baseUrls, logLevel: 'off', ...options });
}

/** A client whose calls get this JSON. */
const getting = (json: unknown, options: AgentPlatformOptions = {}) =>
  connect({ fetch: async () => Response.json(json), ...options });

/** Its `message` is missing, which is drift: a line at `warn`, beside that of the call at `info`. */
const callWithDrift = (logger: Logger | undefined) =>
  getting({ success: true, data: [] }, { logger, logLevel: undefined }).tools.listDefaults();

function isRefused(options: AgentPlatformOptions): boolean {
  try {
    connect(options);
    return false;
  } catch {
    return true;
  }
}

async function countRequests(options: AgentPlatformOptions): Promise<number> {
  let count = 0;
  const fetch = async () => {
    count += 1;
    return new Response(null, { status: 503 });
  };
  await timeOf(() => connect({ fetch, ...options }).tools.get('t1'));
  return count;
}

/** Returns the limit that the error names for a response which is a byte longer than `bytes`. */
async function limitNamedAt(bytes: number): Promise<number> {
  const chunk = new Uint8Array(bytes / 64);
  let chunks = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      chunks += 1;
      controller.enqueue(chunks <= 64 ? chunk : new Uint8Array(1));
    },
  });
  const platform = connect({ fetch: async () => new Response(body), maxRetries: 0 });
  const error: unknown = await platform.request('GET', '/ping').catch((thrown: unknown) => thrown);
  return chunks < 65
    ? Number.NaN
    : Number(/(\d+) bytes \(the option `maxResponseBytes`\)/.exec(String(error))?.[1]);
}

const receive = (options: WebhookReceiverOptions = {}) =>
  createWebhookReceiver({ secret, logLevel: 'off', ...options });

const PADDING = delivery('lead_captured', { notes: '' }).length;
const bodyOf = (bytes: number) => delivery('lead_captured', { notes: 'x'.repeat(bytes - PADDING) });

/** Returns a number if what is as large as that fits, and what is larger does not. */
async function ifLargest(
  bytes: number,
  fits: (body: string) => Promise<boolean>,
): Promise<number | undefined> {
  return (await fits(bodyOf(bytes))) && !(await fits(bodyOf(bytes + 1))) ? bytes : undefined;
}

/** One line at `warn`, and one at `info`. */
async function receiveTwo(logger: Logger | undefined): Promise<void> {
  const receiver = createWebhookReceiver({ secret, logger }).onAny(() => undefined);
  await receiver.handle(post('lead_captured', { workspaceSecret: 'wrong' }));
  await receiver.handle(post('lead_captured'));
}

/** A type without a handler is a line at `warn`. */
const processUnhandled = (logger: Logger | undefined) =>
  createWebhookHandlers({ logger }).process({
    version: 1,
    key: '0'.repeat(64),
    type: 'lead_captured',
    payload: minimal.lead_captured,
    deliveryId: crypto.randomUUID(),
    receivedAt: Date.now(),
  });

async function keptFor(): Promise<number | undefined> {
  let kept: number | undefined;
  const store: DedupeStore = {
    claim: () => 'new',
    complete: (_key, _owner, ttlMs) => {
      kept = ttlMs;
    },
    release: () => undefined,
  };
  await receive({ dedupe: { store } })
    .onAny(() => undefined)
    .handle(post('lead_captured'));
  return kept;
}

/** Returns the number of newer keys beside which a key is remembered, if twice as many are too many. */
async function remembers(keys: number): Promise<number | undefined> {
  const store = createMemoryDedupe();
  const complete = (from: number, to: number) => {
    for (let key = from; key < to; key += 1) void store.complete(String(key), 'owner', 60_000);
  };
  complete(0, keys);
  const isKept = (await store.claim('0', 'owner', 1)) === 'done';
  complete(keys, 2 * keys + 1);
  return isKept && (await store.claim('0', 'owner', 1)) === 'new' ? keys : undefined;
}

/** The statuses of calls to a fake with one fault, and its records. */
async function faulted(fault: FaultInput, calls = 1) {
  const fake = createFakePlatform();
  fake.faults.inject(fault);
  const { workspaceSecret, workspaceId } = fake.seed.eu;
  const responses: Response[] = [];
  for (let count = 0; count < calls; count += 1) {
    const headers = { authorization: `Bearer ${workspaceSecret}` };
    responses.push(
      await fake.fetch(`${fake.baseUrls.eu}/v3/workspaces/${workspaceId}`, { method: 'DELETE', headers }),
    );
  }
  return { fake, responses, statuses: responses.map(({ status }) => status) };
}

/** The secrets in what a fake sends. */
async function sent(): Promise<{ readonly secrets: unknown[]; readonly seeds: readonly string[] }> {
  const fake = createFakePlatform();
  const secrets: unknown[] = [];
  fake.webhooks.subscribe({
    async fetch(request: Request) {
      const { payload } = (await request.json()) as { payload: { workspaceSecret: unknown } };
      secrets.push(payload.workspaceSecret);
      return new Response();
    },
  });
  await fake.webhooks.send('lead_captured');
  return { secrets, seeds: [fake.seed.eu.workspaceSecret, fake.seed.na.workspaceSecret] };
}

async function statusAt(
  path: string,
  headers: Record<string, string>,
  options?: ListenOptions,
): Promise<number> {
  await using server = await createFakePlatform().listen(options);
  const call = httpRequest({ host: '127.0.0.1', port: server.port, path, headers }).end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

testDefaults((file) => !/^(?:bullmq|inbox|redis|sqlite)\//.test(file), {
  'CallOptions.timeout': () => timeOf(() => connect({ fetch: hang, maxRetries: 0 }).tools.get('t1')),
  'CallOptions.totalTimeout': async () => {
    const timeout = 86_400_000;
    const time = await timeOf(() => connect({ fetch: hang, maxRetries: 0, timeout }).tools.get('t1'));
    return time === timeout ? 'none' : time;
  },
  'CallOptions.maxRetries': async () => (await countRequests({})) - 1,
  'CallOptions.validation': () =>
    modeThat(
      () => getting({ success: true, data: [] }).tools.listDefaults(),
      () => getting({ success: 'true', data: [] }).tools.listDefaults(),
    ),
  'AgentPlatformOptions.logger': () => whereLogged(callWithDrift),
  'AgentPlatformOptions.logLevel': () => lowestLevel(callWithDrift),
  'AgentPlatformOptions.maxResponseBytes': limitNamedAt,
  'AgentPlatformOptions.dangerouslyAllowBrowser': () => {
    for (const name of ['window', 'document']) vi.stubGlobal(name, {});
    vi.stubGlobal('process', { ...process, versions: {} });
    const isAllowed = !isRefused({});
    vi.unstubAllGlobals();
    return isAllowed;
  },
  'AgentPlatformOptions.allowInsecureBaseUrl': () =>
    !isRefused({ baseUrls: { eu: 'http://eu.service.test' } }),
  'EndpointDeclaration.auth': async () => {
    let sent: string | null = null;
    const fetch: AgentPlatformOptions['fetch'] = async (_, init) => {
      sent = new Headers(init?.headers).get('authorization');
      return Response.json({});
    };
    await connect({ fetch }).send(endpoint({ method: 'GET', path: '/ping', response: z.unknown() }));
    return sent === 'Bearer the-token' ? 'bearer' : sent;
  },

  'WebhookEventOptions.validation': () => {
    const parse = (fields: object) =>
      Promise.resolve().then(() => parseWebhook(delivery('agent_deleted', { ...fields }), { secret }));
    return modeThat(
      () => parse({ operation: 'another' }),
      () => parse({ agentId: null }),
    );
  },
  'ParseWebhookRequestOptions.maxBodyBytes': (bytes: number) =>
    ifLargest(bytes, (body) => {
      const request = new Request('https://receiver.test', { method: 'POST', body });
      return parseWebhookRequest(request, { secret }).then(
        () => true,
        () => false,
      );
    }),
  'WebhookHandlersOptions.logger': () => whereLogged(processUnhandled),
  'WebhookHandlersOptions.logLevel': () => lowestLevel(processUnhandled),
  'DedupeOptions.window': keptFor,
  'MemoryDedupeOptions.maxKeys': remembers,
  'DrainOptions.delay': () => timeOf(() => new Promise<void>((closed) => void drain(openServer(closed)))),
  'DrainOptions.timeout': () => timeOf(() => drain(openServer(() => undefined))),
  'ReceiverOptions.deadline': () => timeOf(() => receive().onAny(hang).handle(post('lead_captured'))),
  'ReceiverOptions.maxBodyBytes': (bytes: number) => {
    const receiver = receive().onAny(() => undefined);
    return ifLargest(bytes, async (body) => (await receiver.handle({ method: 'POST', body })).status === 200);
  },
  'ReceiverOptions.logger': () => whereLogged(receiveTwo),
  'ReceiverOptions.logLevel': () => lowestLevel(receiveTwo),

  'FaultScope.times': async () => {
    const { statuses } = await faulted({ status: 503 }, 3);
    return statuses.filter((status) => status === 503).length;
  },
  'FaultScope.acts': async () => {
    const { fake } = await faulted({ status: 503 });
    return !fake.state.eu.workspaces.has(fake.seed.eu.workspaceId);
  },
  'ListenOptions.port': async () => {
    await using one = await createFakePlatform().listen();
    await using other = await createFakePlatform().listen();
    return one.port === other.port ? one.port : 0;
  },
  'ListenOptions.host': async () => {
    await using server = await createFakePlatform().listen();
    return new URL(server.url).hostname;
  },
  'ListenOptions.control': async () => (await statusAt('/_fake/requests', {})) === 200,
  'ListenOptions.allowedHosts': async () =>
    (await statusAt('/eu/v3/tools/defaults', { host: 'fake.example.com' })) === 421 ? 'none' : 'another',
  'WebhookOwner.region': async () => {
    const { secrets, seeds } = await sent();
    return ['eu', 'na'][seeds.indexOf(String(secrets[0]))];
  },
  'SendOptions.copies': async () => (await sent()).secrets.length,
  'SendOptions.forged': async () => {
    const { secrets, seeds } = await sent();
    return !seeds.includes(String(secrets[0]));
  },
});
