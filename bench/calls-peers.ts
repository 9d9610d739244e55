/** The clients, each reading one tool over HTTP, and their measurements. Runs in its own process. */
import { readFileSync } from 'node:fs';
import { cpuMicros, heapBytes, inFlight, load, readTask, ready, serve } from './child.js';
import { median } from './rounds.js';

export type CallsTask =
  | { readonly job: 'serve'; readonly file: string }
  | { readonly job: 'hang' }
  | { readonly job: 'start'; readonly client: ClientName; readonly url: string }
  | { readonly job: 'cpu'; readonly client: ClientName; readonly url: string; readonly calls: number }
  | { readonly job: 'pending'; readonly client: ClientName; readonly url: string; readonly calls: number }
  | { readonly job: 'validate'; readonly record: RecordName; readonly file: string; readonly blocks: number };

export type ClientName = keyof typeof clients;
export type RecordName = 'tool' | 'conversation' | 'clients';

type Call = () => Promise<unknown>;

const TOKEN = 'bench-token';

/** Each client is imported when it is called, so that measuring the start of one loads no other. */
const clients = {
  async fetch(url: string): Promise<Call> {
    const init = { headers: { accept: 'application/json', authorization: `Bearer ${TOKEN}` } };
    return async () => {
      const response = await fetch(`${url}/v3/tools/tool_1`, init);
      const { data } = (await response.json()) as { data: object };
      return data;
    };
  },

  /** As set up in a program that calls a service for months. */
  async 'ky, set up'(url: string): Promise<Call> {
    const { default: ky } = await import('ky');
    const authorize = ({ request }: { request: Request }) =>
      request.headers.set('authorization', `Bearer ${TOKEN}`);
    const api = ky.create({
      prefix: `${url}/v3`,
      retry: { limit: 2 },
      timeout: 30_000,
      hooks: { beforeRequest: [authorize] },
    });
    return async () => (await api.get('tools/tool_1').json<{ data: object }>()).data;
  },

  async openai(url: string): Promise<Call> {
    type Client = new (
      options: object,
    ) => {
      models: { retrieve(id: string): Promise<{ data: object }> };
    };
    const { default: OpenAI } = await load<{ default: Client }>('openai');
    const client = new OpenAI({ apiKey: TOKEN, baseURL: `${url}/v1` });
    return async () => (await client.models.retrieve('tool_1')).data;
  },

  async 'retell-sdk'(url: string): Promise<Call> {
    type Client = new (
      options: object,
    ) => {
      agent: { retrieve(id: string): Promise<{ data: object }> };
    };
    const { default: Retell } = await load<{ default: Client }>('retell-sdk');
    const client = new Retell({ apiKey: TOKEN, baseURL: url });
    return async () => (await client.agent.retrieve('tool_1')).data;
  },

  async 'this package'(url: string): Promise<Call> {
    const { AgentPlatform } = await import('agent-platform-sdk');
    const platform = new AgentPlatform({ region: 'eu', token: TOKEN, baseUrls: { eu: url } });
    return () => platform.tools.get('tool_1');
  },
};

/** Responds to every request with the same record. */
function serveRecord(file: string): void {
  const body = readFileSync(file);
  const headers = { 'content-type': 'application/json', 'content-length': body.byteLength };
  serve((_request, response) => response.writeHead(200, headers).end(body));
}

/** From the start of the process to the first parsed response. */
async function measureStart(client: ClientName, url: string): Promise<void> {
  const call = await clients[client](url);
  await call();
  const figures = { wall: performance.now(), cpu: cpuMicros() / 1_000 };
  ready(() => figures);
}

/** CPU of a call over loopback, with one and with 32 in flight. */
async function measureCpu(client: ClientName, url: string, calls: number): Promise<void> {
  const call = await clients[client](url);
  const perCall = async (width: number) => {
    const started = cpuMicros();
    await inFlight(call, calls, width);
    return (cpuMicros() - started) / calls;
  };
  // Warms up: a program that runs for months runs compiled code.
  for (let warmUp = 0; warmUp < 5; warmUp += 1) await perCall(32);
  ready(async () => ({ one: await perCall(1), many: await perCall(32) }));
}

/** Heap of each call that waits for its response. */
async function measurePending(client: ClientName, url: string, calls: number): Promise<void> {
  const call = await clients[client](url);
  const pending: Promise<unknown>[] = [];
  const start = (count: number) => {
    for (let made = 0; made < count; made += 1) pending.push(call());
    return heapBytes();
  };
  // What the first calls load is not theirs.
  const before = await start(50);
  const bytes = ((await start(calls)) - before) / calls;
  ready(() => ({ bytes }));
}

/**
 * Time that validation takes in a call without a network: the difference that `validation: 'off'` makes.
 * Short blocks with and without it take turns, and the median of the differences counts, because a call takes
 * many times as long as its validation.
 */
async function measureValidation(record: RecordName, file: string, blocks: number): Promise<void> {
  const { AgentPlatform } = await import('agent-platform-sdk');
  const text = readFileSync(file, 'utf8');
  const callWith = (validation: 'tolerant' | 'off'): Call => {
    const platform = new AgentPlatform({
      region: 'eu',
      token: TOKEN,
      baseUrls: { eu: 'http://127.0.0.1' },
      fetch: async () => new Response(text, { headers: { 'content-type': 'application/json' } }),
      validation,
    });
    if (record === 'tool') return () => platform.tools.get('id');
    if (record === 'clients') return () => platform.orgs.listMembersAndTeams('id');
    return () => platform.conversations.get({ agentId: 'id', convoId: 'id' });
  };
  const [checked, unchecked] = [callWith('tolerant'), callWith('off')];
  const size = text.length > 100_000 ? 1 : 20;
  const turn = async () => {
    const [parses, differences]: [number[], number[]] = [[], []];
    for (let block = 0; block < blocks; block += 1) {
      parses.push(await microsPer(async () => JSON.parse(text) as unknown, size));
      const [without, within] = [await microsPer(unchecked, size), await microsPer(checked, size)];
      differences.push(within - without);
    }
    return { 'JSON.parse': median(parses), validation: median(differences) };
  };
  // Warms up.
  await turn();
  ready(turn);
}

async function microsPer(work: Call, calls: number): Promise<number> {
  const started = performance.now();
  for (let done = 0; done < calls; done += 1) await work();
  return ((performance.now() - started) * 1_000) / calls;
}

// calls.ts wrote it.
const task = readTask() as CallsTask;
if (task.job === 'serve') serveRecord(task.file);
else if (task.job === 'hang') serve(() => undefined);
else if (task.job === 'pending') await measurePending(task.client, task.url, task.calls);
else if (task.job === 'start') await measureStart(task.client, task.url);
else if (task.job === 'cpu') await measureCpu(task.client, task.url, task.calls);
else await measureValidation(task.record, task.file, task.blocks);
