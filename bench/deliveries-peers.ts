/** The takers of a webhook: each verifies it, parses it and runs a handler. Runs in its own process. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { aroundCreatedAt, cpuMicros, load, readTask, ready, SECRET, serve } from './child.js';

export type DeliveriesTask =
  | { readonly job: 'take'; readonly peer: TakerName; readonly file: string; readonly deliveries: number }
  | { readonly job: 'refuse'; readonly bytes: number }
  | { readonly job: 'serve'; readonly server: ServerName };

export type TakerName = keyof typeof takers;
export type ServerName = keyof typeof servers;

/** Runs before the clock starts; returns the function that is measured, which takes this one body. */
type Prepare = (body: string) => Promise<Take> | Take;
type Take = () => unknown;
type Handler = (payload: unknown) => void;

const HEADERS = { 'content-type': 'application/json' };

const takers = {
  'JSON.parse': (handler: Handler): Prepare => {
    return (body) => () => handler(JSON.parse(body));
  },

  /** As one would write it without a package: no validation, no deadline, no duplicates. */
  'by hand': (handler: Handler): Prepare => {
    return (body) => () => handleVerified(body, handler);
  },

  /** Verifies an HMAC instead of a secret in the body; no validation, no deadline, no duplicates. */
  '@octokit/webhooks': async (handler: Handler): Promise<Prepare> => {
    interface Octokit {
      on(event: string, handler: Handler): void;
      sign(body: string): Promise<string>;
      verifyAndReceive(event: object): Promise<void>;
    }
    type Module = { Webhooks: new (options: object) => Octokit };
    const { Webhooks } = await load<Module>('@octokit/webhooks');
    const webhooks = new Webhooks({ secret: SECRET });
    webhooks.on('issues', handler);
    return async (payload) => {
      const event = { id: 'delivery', name: 'issues', signature: await webhooks.sign(payload), payload };
      return () => webhooks.verifyAndReceive(event);
    };
  },

  'this package': async (handler: Handler): Promise<Prepare> => {
    const receiver = await createReceiver(handler);
    return (body) => async () => {
      const { status } = await receiver.handle({ method: 'POST', headers: HEADERS, body });
      if (status !== 200) throw new Error(`responded with ${status}`);
    };
  },
};

async function createReceiver(handler: Handler) {
  const { createWebhookReceiver } = await import('agent-platform-sdk');
  return createWebhookReceiver({ secret: SECRET, logLevel: 'off' })
    .on('message_received', handler)
    .on('conversation_updated', handler);
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const expected = digest(SECRET);

async function handleVerified(body: string, handler: Handler): Promise<void> {
  const { type, payload } = JSON.parse(body) as { type?: string; payload: { workspaceSecret: string } };
  if (!timingSafeEqual(digest(payload.workspaceSecret), expected)) throw new Error('not verified');
  if (type !== undefined) handler(payload);
}

/** Time and CPU of one delivery. Each is a new event, whose text is made before the clock starts. */
async function measureTaking(peer: TakerName, file: string, deliveries: number): Promise<void> {
  const [head, tail] = aroundCreatedAt(readFileSync(file, 'utf8'));
  let [createdAt, handled] = [1_700_000_000_000, 0];
  const prepare = await takers[peer](() => {
    handled += 1;
  });
  const turn = async () => {
    const takes: Take[] = [];
    for (let index = 0; index < deliveries; index += 1) {
      createdAt += 1;
      // A flat string, as one read from the network is.
      takes.push(await prepare(Buffer.from(`${head}${createdAt}${tail}`).toString()));
    }
    handled = 0;
    const [started, cpu] = [performance.now(), cpuMicros()];
    for (const take of takes) {
      const result = take();
      // Awaiting other results would slow down the synchronous takers.
      if (result instanceof Promise) await result;
    }
    const time = ((performance.now() - started) * 1_000) / deliveries;
    if (handled !== deliveries) throw new Error(`${peer} handled ${handled} of ${deliveries}`);
    return { time, cpu: (cpuMicros() - cpu) / deliveries };
  };
  // Warms up: a program that runs for months runs compiled code.
  for (let warmUp = 0; warmUp < 5; warmUp += 1) await turn();
  ready(turn);
}

/** The time to refuse a body of brackets without a secret, and to parse it. */
async function measureRefusal(bytes: number): Promise<void> {
  const body = '['.repeat(bytes / 2) + ']'.repeat(bytes / 2);
  const receiver = await createReceiver(() => undefined);
  const refuse = async () => {
    const { status } = await receiver.handle({ method: 'POST', headers: HEADERS, body });
    if (status !== 401) throw new Error(`responded with ${status}`);
  };
  const time = async (work: () => unknown) => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  const parse = () => JSON.parse(body) as unknown;
  const turn = async () => ({ 'JSON.parse': await time(parse), 'this package': await time(refuse) });
  await turn();
  ready(turn);
}

const servers = {
  /** Reads, parses and responds; verifies nothing. */
  'node:http': (): RequestListener => (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { type } = JSON.parse(Buffer.concat(chunks).toString()) as { type?: string };
      response.statusCode = type === undefined ? 400 : 200;
      response.end();
    });
  },
  'this package': async (): Promise<RequestListener> => {
    const receiver = await createReceiver(() => undefined);
    return (request, response) => void receiver.node(request, response);
  },
};

// deliveries.ts wrote it.
const task = readTask() as DeliveriesTask;
if (task.job === 'take') await measureTaking(task.peer, task.file, task.deliveries);
else if (task.job === 'refuse') await measureRefusal(task.bytes);
else serve(await servers[task.server]());
