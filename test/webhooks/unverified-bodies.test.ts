import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createWebhookReceiver, type WebhookRejection, type WebhookSecretOptions } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { UnverifiedBodies, type UnverifiedBody } from '../../src/webhooks/unverified-bodies.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, secret } from './deliveries.js';
import { ManualClock, settle } from './manual-clock.js';

const MIB = 1024 * 1024;

function setUp({
  secrets = { secret },
  ...limits
}: {
  secrets?: WebhookSecretOptions;
  maxBodyBytes?: number;
  maxUnverifiedBytes?: number;
} = {}) {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const rejections: WebhookRejection[] = [];
  const receiver = createWebhookReceiver({ ...secrets, clock, logger, dedupe: false, ...limits })
    .onAny(() => undefined)
    .onRejected((rejection) => rejections.push(rejection));
  /** Sends chunks of these sizes, then the rest or nothing more; tells the status once there is one. */
  const send = async (sizes: readonly number[], rest?: string) => {
    const answer: { status?: number } = {};
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        for (const size of sizes) stream.enqueue(new Uint8Array(size).fill(0x20));
        if (rest === undefined) return;
        stream.enqueue(new TextEncoder().encode(rest));
        stream.close();
      },
    });
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const deliver = async () => {
      answer.status = (await receiver.fetch(new Request('https://example.com', init))).status;
    };
    void deliver();
    await settle();
    return answer;
  };
  return { clock, logger, rejections, receiver, send };
}

test('where unverified bodies hold too much, the one that holds most for longest is answered 503 and told', async () => {
  const { clock, logger, rejections, send } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes: 2_000 });
  const large = await send([900]);
  await clock.advance(1_000);
  const small = await send([90]);
  await clock.advance(1_000);
  const second = await send([900]);
  expect([large, small, second]).toEqual([{}, {}, {}]);
  // A genuine one, which comes at once, goes on, and costs a stranger its place.
  expect(await send([100], delivery('webhook_test'))).toEqual({ status: 200 });
  expect([large, small, second]).toEqual([{ status: 503 }, {}, {}]);
  expect(rejections).toEqual([
    { reason: 'overloaded', status: 503, size: 900, deliveryId: expect.any(String) },
  ]);
  expect(logger.lines.join()).toMatch(/warn .*refused with 503 overloaded, 900 bytes/);
});

test('a small body that has been on its way for long gives way to a larger one that has just begun', async () => {
  const { clock, send } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes: 1_000 });
  const slow = await send([200]);
  await clock.advance(10_000);
  expect([await send([900]), slow]).toEqual([{}, { status: 503 }]);
});

test('a body costs its bytes times its time: a small one that is older than a large one goes on', async () => {
  const { clock, send } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes: 1_500 });
  const small = await send([90]);
  await clock.advance(1_000);
  const large = await send([900]);
  await clock.advance(1_000);
  expect([await send([600]), small, large]).toEqual([{}, {}, { status: 503 }]);
});

test('after the clock was set back, the largest of those that came before gives way', async () => {
  const { clock, send } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes: 1_500 });
  const [large, small] = [await send([900]), await send([90])];
  await clock.advance(-10_000);
  expect([await send([600]), small, large]).toEqual([{}, {}, { status: 503 }]);
});

test('as many bodies give way as have to', async () => {
  const { clock, send } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes: 1_000 });
  const slow = [await send([400]), await send([400])];
  await clock.advance(1_000);
  expect([await send([900]), slow]).toEqual([{}, [{ status: 503 }, { status: 503 }]]);
});

test('of bodies that began together the largest is given up, if it is the one that asks for more', async () => {
  const { send } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes: 1_500 });
  const small = await send([700]);
  expect([await send([900]), small]).toEqual([{ status: 503 }, {}]);
});

test('what was verified, refused or cut off holds nothing any more', async () => {
  const { clock, receiver, send } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes: 1_000 });
  const running = deferred();
  receiver.on('lead_captured', () => running.promise);
  expect(await send([600], delivery('lead_captured'))).toEqual({});
  for (let round = 0; round < 3; round += 1) {
    expect(await send([900], 'forged')).toEqual({ status: 401 });
    expect(await send([900, 900])).toEqual({ status: 413 });
    const stalled = await send([900]);
    await clock.advance(55_000);
    expect(stalled).toEqual({ status: 400 });
    expect(await send([700], delivery('webhook_test'))).toEqual({ status: 200 });
  }
});

test.each([
  [1_599, 503],
  [1_600, undefined],
])('a body counts by the room that is kept for it, of %d bytes', async (maxUnverifiedBytes, status) => {
  const { clock, send } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes });
  const grown = await send([600, 1]);
  await clock.advance(1_000);
  expect([await send([600]), grown.status]).toEqual([{}, status]);
});

test('a body that turns out too large costs no other its place', async () => {
  const { clock, receiver, send } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes: 1_500 });
  const slow = await send([600]);
  await clock.advance(1_000);
  expect(await send([900, 900])).toEqual({ status: 413 });
  const chunks = Readable.from([Buffer.alloc(900), Buffer.alloc(900)], { objectMode: false });
  const request = Object.assign(chunks, { method: 'POST', headers: {} });
  // Only these parts of a request are looked at.
  const response = new ServerResponse(request as unknown as IncomingMessage);
  await receiver.node(request, response);
  expect([response.statusCode, slow]).toEqual([413, {}]);
});

const never = new Promise<boolean>(() => undefined);

test.each<[string, (presented: string) => Promise<boolean>, genuine: object]>([
  ['is slow for all', () => never, {}],
  ['is slow for what it does not know', async (presented) => presented === secret || never, { status: 200 }],
])(
  'forged bodies that wait for a look-up which %s give way to a genuine one',
  async (_, verifySecret, genuine) => {
    const limits = { maxBodyBytes: 1_000, maxUnverifiedBytes: 2_000 };
    const { clock, rejections, send } = setUp({ secrets: { verifySecret }, ...limits });
    const forged = delivery('webhook_test', { workspaceSecret: 'forged' });
    const waiting = [await send([700], forged), await send([700], forged)];
    await clock.advance(1_000);
    expect(waiting).toEqual([{}, {}]);
    expect(await send([300], delivery('webhook_test'))).toEqual(genuine);
    expect(waiting).toEqual([{ status: 503 }, {}]);
    // At the deadline, none is given up for it: it may be genuine.
    await clock.advance(55_000);
    expect(rejections).toMatchObject([{ reason: 'overloaded' }]);
  },
);

test('a body that waits for a look-up holds its bytes, and a larger one gives way', async () => {
  const answer = deferred();
  const verifySecret = () => answer.promise.then(() => true);
  const { send } = setUp({ secrets: { verifySecret }, maxBodyBytes: 1_000, maxUnverifiedBytes: 1_000 });
  const waiting = await send([100], delivery('webhook_test'));
  expect(await send([700], delivery('webhook_test'))).toEqual({ status: 503 });
  answer.resolve();
  await settle();
  expect(waiting).toEqual({ status: 200 });
  expect(await send([700], delivery('webhook_test'))).toEqual({ status: 200 });
});

test('a body that waits for a look-up gives way once it was answered at the deadline', async () => {
  const [hung, end] = [deferred(), deferred()];
  let waiting: Promise<void> = hung.promise;
  const secrets = { verifySecret: () => waiting.then(() => true) };
  const { clock, logger, receiver, send } = setUp({
    secrets,
    maxBodyBytes: 1_000,
    maxUnverifiedBytes: 2_000,
  });
  const handled: string[] = [];
  receiver.onAny(({ type }) => handled.push(type));
  const first = await send([700], delivery('webhook_test'));
  await clock.advance(10_000);
  waiting = end.promise;
  const second = await send([700], delivery('lead_captured'));
  await clock.advance(55_000);
  expect([first, second]).toEqual([{ status: 500 }, { status: 500 }]);
  // The one that has waited for longest.
  waiting = Promise.resolve();
  expect(await send([700], delivery('agent_updated'))).toEqual({ status: 200 });
  expect(logger.lines.join()).toContain('settled after its deadline: overloaded');
  // What had room is handled after all.
  for (const one of [hung, end]) one.resolve();
  await settle();
  expect(handled).toEqual(['agent_updated', 'lead_captured']);
});

test('where its body has given way, a look-up is asked about nothing more of it', async () => {
  const hung = deferred();
  const asked: string[] = [];
  const verifySecret = (presented: string) => {
    asked.push(presented);
    return asked.length === 1 ? hung.promise.then(() => false) : true;
  };
  const { clock, send } = setUp({
    secrets: { verifySecret },
    maxBodyBytes: 1_000,
    maxUnverifiedBytes: 1_000,
  });
  const one = await send([700], `[{"workspaceSecret":"forged"},${delivery('webhook_test')}]`);
  await clock.advance(55_000);
  expect(await send([700], delivery('webhook_test'))).toEqual({ status: 200 });
  hung.resolve();
  await settle();
  expect([one, asked]).toEqual([{ status: 500 }, ['forged', secret]]);
});

test('what waits for a look-up of the secret in its place, once another was genuine, gives way too', async () => {
  const hung = deferred();
  const verifySecret = (presented: string) => presented === secret || hung.promise.then(() => true);
  const { clock, receiver, send } = setUp({
    secrets: { verifySecret },
    maxBodyBytes: 1_000,
    maxUnverifiedBytes: 1_000,
  });
  const handled: string[] = [];
  receiver.onAny(({ type }) => handled.push(type));
  const body = delivery('webhook_test', { workspaceSecret: 'another' });
  const one = await send([700], body.replace('{', `{"beside":{"workspaceSecret":"${secret}"},`));
  await clock.advance(55_000);
  expect([one, await send([700], delivery('agent_updated'))]).toEqual([{ status: 500 }, { status: 200 }]);
  hung.resolve();
  await settle();
  expect(handled).toEqual(['agent_updated']);
});

async function answerToLong({ receiver }: ReturnType<typeof setUp>, length: number): Promise<number> {
  const body = delivery('webhook_test', { workspaceSecret: 'x'.repeat(length) });
  return (await receiver.handle({ method: 'POST', headers: {}, body })).status;
}

test('a look-up is not asked about a secret that is longer than any', async () => {
  const asked: number[] = [];
  const verifySecret = ({ length }: string) => asked.push(length) > 0;
  const deciding = setUp({ secrets: { verifySecret } });
  expect([await answerToLong(deciding, 4_097), await answerToLong(deciding, 4_096)]).toEqual([401, 200]);
  expect(asked).toEqual([4_096]);
});

test('secrets are not loaded for one that is longer than any, which would be held meanwhile', async () => {
  const load = vi.fn(() => 'x'.repeat(4_096));
  const loading = setUp({ secrets: { secret: load } });
  expect(await answerToLong(loading, 4_097)).toBe(401);
  expect(load).not.toHaveBeenCalled();
  expect(await answerToLong(loading, 4_096)).toBe(200);
});

test.each([
  ['secret', 'x'.repeat(4_097)],
  ['secret[1]', [secret, 'x'.repeat(4_097)]],
  ['secret.acme', { acme: 'x'.repeat(4_097) }],
])(
  '%s that is longer than any is refused at once, as no delivery could present it',
  async (option, given) => {
    expect(() => createWebhookReceiver({ secret: given })).toThrow(
      expect.objectContaining({ option, message: `${option} must have 4096 characters at most.` }),
    );
    expect(() => createWebhookReceiver({ secret: `${'x'.repeat(4_096)}\n` })).not.toThrow();
  },
);

test('by default a body may have 8 MiB, and all that are not verified 64 MiB', async () => {
  const { send } = setUp();
  expect(await send([8 * MIB, 1])).toEqual({ status: 413 });
  const stalled = await Promise.all(Array.from({ length: 8 }, () => send([8 * MIB])));
  expect(stalled.every(({ status }) => status === undefined)).toBe(true);
  await send([1]);
  expect(stalled.filter(({ status }) => status === 503)).toHaveLength(1);
});

test('a body that may be larger than all has to fit', async () => {
  const { send } = setUp({ maxBodyBytes: 65 * MIB });
  expect(await send([65 * MIB])).toEqual({});
  const create = () => createWebhookReceiver({ secret, maxBodyBytes: 1_000, maxUnverifiedBytes: 999 });
  expect(create).toThrow(expect.objectContaining({ option: 'maxUnverifiedBytes' }));
  expect(create).toThrow('must be at least maxBodyBytes, 1000');
});

test('bodies that come through node are bounded as well', async () => {
  const { receiver, rejections } = setUp({ maxBodyBytes: 1_000, maxUnverifiedBytes: 1_500 });
  const requests = [800, 900].map((size) => {
    const request = new Readable({ read: () => undefined });
    request.push(Buffer.alloc(size));
    return Object.assign(request, { method: 'POST', headers: {} });
  });
  for (const request of requests) {
    // Only these parts of a request are looked at.
    void receiver.node(request, new ServerResponse(request as unknown as IncomingMessage));
    await settle();
  }
  expect(rejections).toMatchObject([{ reason: 'overloaded', size: 900 }]);
  // What still comes of it is not held: there is room for another.
  requests[1]?.push(Buffer.alloc(90));
  const other = Object.assign(new Readable({ read: () => undefined }), { method: 'POST', headers: {} });
  other.push(Buffer.alloc(650));
  void receiver.node(other, new ServerResponse(other as unknown as IncomingMessage));
  await settle();
  expect(rejections).toHaveLength(1);
});

test('one that is larger than all may hold is refused, though it cannot be given up', () => {
  const bodies = new UnverifiedBodies(100, () => 0);
  // Nor is one that has ended given up for it.
  const ended = { receivedAt: 0, heldBytes: 0, giveUp: () => expect.unreachable() };
  bodies.hold(ended, 50);
  bodies.release(ended);
  expect(bodies.hold({ receivedAt: 0, heldBytes: 0, giveUp: undefined }, 101)).toBe(false);
});

test('a body that was given up, and is released once more at its end, makes no room twice', () => {
  const bodies = new UnverifiedBodies(100, () => 0);
  const given: UnverifiedBody[] = [];
  const bodyOf = (): UnverifiedBody => {
    const body = { receivedAt: 0, heldBytes: 0, giveUp: () => void given.push(body) };
    return body;
  };
  const [first, second, third, fourth] = [bodyOf(), bodyOf(), bodyOf(), bodyOf()];
  expect(bodies.hold(first, 90)).toBe(true);
  expect(bodies.hold(second, 60)).toBe(true);
  expect(given).toEqual([first]);
  for (const body of [first, second]) bodies.release(body);
  bodies.release(second);
  expect(bodies.hold(third, 90)).toBe(true);
  expect(bodies.hold(fourth, 20)).toBe(true);
  expect(given).toEqual([first, third]);
});
