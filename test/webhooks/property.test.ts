import { inspect } from 'node:util';
import { parseWebhook, WebhookError } from 'agent-platform-sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { envelope, eventTypes, minimal, secret } from './deliveries.js';
import { handling, throwing } from './receivers.js';

const isAuthentic = (value: unknown): boolean =>
  (value as { payload?: { workspaceSecret?: unknown } } | null)?.payload?.workspaceSecret === secret;

const known = Object.values(minimal).flatMap((payload) => Object.keys(payload));
const odd = ['__proto__', 'constructor', 'toString', 'type', 'payload', 'workspaceSecret'];

/** Any JSON value, odd keys included. */
const json = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...odd), fc.jsonValue()));

/** An authentic event of any type. */
const authentic = fc.constantFrom(...eventTypes).map((type) => envelope(type));

/** An authentic event with one to three fields set, removed or added, in the envelope or the payload. */
const mutated = fc
  .tuple(
    authentic,
    fc.array(
      fc.record({
        isInside: fc.boolean(),
        name: fc.oneof(fc.string(), fc.constantFrom(...odd, ...known)),
        value: fc.option(fc.oneof(json, fc.constant([secret])), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([event, changes]) => {
    const changed = (target: object, inside: boolean) => {
      const set = changes.filter(({ isInside }) => isInside === inside);
      return Object.fromEntries([...Object.entries(target), ...set.map(({ name, value }) => [name, value])]);
    };
    const copy = changed({ ...event, payload: changed(event.payload, true) }, false);
    // Made JSON again: without undefined.
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
      const { receiver, events, failures, rejections, lines, send } = handling(
        { validation, logLevel: 'debug' },
        fails ? throwing : undefined,
      );
      receiver.onInvalid((event) => {
        events.push(event);
        if (fails) throwing();
      });
      const response = await send(received);
      expect([400, 401, fails ? 500 : 200]).toContain(response[0]);
      expect(events).toHaveLength(isAuthentic(meaningOf(received)) ? 1 : 0);
      const reported = failures.map(([error, { stage }]) => [error, stage]);
      expect(inspect([response, reported, rejections, lines], { depth: 9 })).not.toContain(secret);
    }),
    options,
  );
});

test('a duplicate is recognised as text, as bytes and as an object', async () => {
  await fc.assert(
    fc.asyncProperty(mutated.filter(isAuthentic), async (event) => {
      const { receiver, events, send } = handling();
      receiver.onInvalid((one) => events.push(one));
      const text = JSON.stringify(event);
      // Of an object, only the two fields of an envelope are part of the event: there is no text.
      const isPlain = Object.keys(event as object).join() === 'type,payload';
      for (const received of [text, new TextEncoder().encode(text), isPlain ? JSON.parse(text) : text]) {
        expect(await send(received)).toEqual([200]);
      }
      expect(events).toHaveLength(1);
    }),
    options,
  );
});
