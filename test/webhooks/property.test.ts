import { inspect } from 'node:util';
import { createWebhookReceiver, parseWebhook, WebhookError, type WebhookFailure } from 'agent-platform-sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { envelope, eventTypes, secret } from './deliveries.js';

const isAuthentic = (value: unknown): boolean =>
  (value as { payload?: { workspaceSecret?: unknown } } | null)?.payload?.workspaceSecret === secret;

/** Any JSON value, odd keys included. */
const json = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom('__proto__', 'constructor', 'toString', 'type', 'payload', 'workspaceSecret'),
    fc.jsonValue(),
  ),
);

/** An authentic event of any type. */
const authentic = fc.constantFrom(...eventTypes).map((type) => envelope(type));

/** An authentic event with one to three fields set, removed or added, in the envelope or the payload. */
const mutated = fc
  .tuple(
    authentic,
    fc.array(
      fc.record({
        inside: fc.boolean(),
        pick: fc.nat(),
        name: fc.option(
          fc.oneof(
            fc.string(),
            fc.constantFrom('__proto__', 'constructor', 'workspaceSecret', 'type', 'payload'),
          ),
        ),
        value: fc.option(fc.oneof(json, fc.constant([secret])), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([event, changes]) => {
    const copy = structuredClone(event) as Record<string, unknown>;
    for (const { inside, pick, name, value } of changes) {
      const target =
        inside && typeof copy.payload === 'object' && copy.payload !== null && !Array.isArray(copy.payload)
          ? copy.payload
          : copy;
      const keys = Object.keys(target);
      const key = name ?? keys[pick % Math.max(keys.length, 1)] ?? 'new';
      Object.defineProperty(target, key, {
        value: structuredClone(value),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    // Made JSON again: without undefined, and without names on lists.
    return JSON.parse(JSON.stringify(copy)) as unknown;
  });

const value = fc.oneof(json, mutated, authentic);
const body = fc.oneof(
  value,
  value.map((one) => JSON.stringify(one)),
  value.map((one) => new TextEncoder().encode(JSON.stringify(one))),
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ unit: 'binary' }),
  // Cut off, or with a byte changed.
  fc.tuple(authentic, fc.nat(200)).map(([event, length]) => JSON.stringify(event).slice(0, length)),
  fc.tuple(authentic, fc.nat(), fc.nat(255)).map(([event, at, byte]) => {
    const bytes = new TextEncoder().encode(JSON.stringify(event));
    bytes[at % bytes.length] = byte;
    return bytes;
  }),
);

/** The value of a body, read by the runtime's own means. */
function meaningOf(received: unknown): unknown {
  const text = received instanceof Uint8Array ? new TextDecoder().decode(received) : received;
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** 3,000 at night. */
const options = { numRuns: Number(process.env.PROPERTY_RUNS ?? 500) };
const modes = ['strict', 'tolerant', 'off'] as const;

test('parseWebhook returns an authentic event or throws a webhook error without the secret', () => {
  fc.assert(
    fc.property(body, fc.constantFrom(...modes), (received, validation) => {
      try {
        const event = parseWebhook(received, { secret, validation });
        expect(isAuthentic(meaningOf(received))).toBe(true);
        expect(Object.hasOwn(event.payload, 'workspaceSecret')).toBe(false);
      } catch (error) {
        expect(error).toBeInstanceOf(WebhookError);
        expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain(secret);
      }
    }),
    options,
  );
});

test('a receiver responds to every body, and handles only authentic ones, without the secret', async () => {
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(...modes), fc.boolean(), async (received, validation, fails) => {
      const logger = new RecordingLogger();
      const reported: unknown[] = [];
      let runs = 0;
      const run = () => {
        runs += 1;
        if (fails) throw new Error('no');
      };
      const receiver = createWebhookReceiver({ secret, validation, logger, logLevel: 'debug' })
        .onAny(run)
        .onUnknown(run)
        .onInvalid(run)
        .onError((error, { stage }: WebhookFailure) => reported.push(error, stage))
        .onRejected((rejection) => reported.push(rejection));
      const response = await receiver.handle({ method: 'POST', body: received });
      const expected = fails ? 500 : 200;
      expect([400, 401, expected]).toContain(response.status);
      expect(runs).toBe(isAuthentic(meaningOf(received)) ? 1 : 0);
      expect(inspect([response, reported, logger.lines], { depth: 9 })).not.toContain(secret);
    }),
    options,
  );
});

test('a duplicate is recognised as text, as bytes and as an object', async () => {
  await fc.assert(
    fc.asyncProperty(mutated.filter(isAuthentic), async (event) => {
      let runs = 0;
      const run = () => {
        runs += 1;
      };
      const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() });
      receiver.onAny(run).onUnknown(run).onInvalid(run);
      const text = JSON.stringify(event);
      // Of an object, only the two fields of an envelope are part of the event: there is no text.
      const isPlain = Object.keys(event as object).join() === 'type,payload';
      for (const received of [text, new TextEncoder().encode(text), isPlain ? JSON.parse(text) : text]) {
        expect((await receiver.handle({ method: 'POST', body: received })).status).toBe(200);
      }
      expect(runs).toBe(1);
    }),
    options,
  );
});
