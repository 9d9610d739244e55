import { Readable } from 'node:stream';
import {
  ConfigurationError,
  createWebhookReceiver,
  parseWebhook,
  WebhookPayloadError,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { delivery, post, secret } from './deliveries.js';
import { RecordingLogger } from './recording-logger.js';

const request = () => new Request('https://example.com', { method: 'POST', body: delivery('lead_captured') });

test.each<[string, () => unknown]>([
  ['a Request', request],
  ['a promise', () => request().text()],
])('parseWebhook given %s says what to pass', (_, body) => {
  expect(() => parseWebhook(body(), { secret })).toThrow(ConfigurationError);
  expect(() => parseWebhook(body(), { secret })).toThrow('or use parseWebhookRequest');
});

test('parseWebhook given the request of a server says what to pass', () => {
  const parse = () => parseWebhook({ method: 'POST', body: {} }, { secret });
  expect(parse).toThrow(WebhookVerificationError);
  expect(parse).toThrow('pass the body of the request');
});

test('parseWebhook given nothing asks for a body parser', () => {
  expect(() => parseWebhook(undefined, { secret })).toThrow(WebhookPayloadError);
  expect(() => parseWebhook(undefined, { secret })).toThrow('is a body parser mounted?');
});

test('a wrong option is refused before the body is looked at', () => {
  expect(() => parseWebhook('not JSON', { secret, validation: 'lax' as 'strict' })).toThrow(
    ConfigurationError,
  );
});

test.each<[string, () => unknown]>([
  ['of the Web', () => request().body],
  ['of Node', () => Readable.from([delivery('lead_captured')])],
])('a stream %s is no body that `handle` can read, and is not taken for a forgery', async (_, body) => {
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() });
  expect(await receiver.handle({ method: 'POST', body: body() })).toMatchObject({ status: 400 });
});

test('a method that is no text is refused', async () => {
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() });
  const answer = await receiver.handle({ ...post('lead_captured'), method: 5 as unknown as string });
  expect(answer.status).toBe(405);
});

test('what cannot be looked at is logged, though no listener can be handed an event', async () => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger });
  const body = {
    type: 'lead_captured',
    get payload() {
      throw new RangeError('a lazy body');
    },
  };
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(500);
  expect(logger.lines.join()).toMatch(/error .*failed with RangeError/);
});

test('a handler for a list of types is refused: it would never run', () => {
  const receiver = createWebhookReceiver({ secret });
  const types = ['lead_captured'] as unknown as 'lead_captured';
  expect(() => receiver.on(types, () => undefined)).toThrow(ConfigurationError);
});
