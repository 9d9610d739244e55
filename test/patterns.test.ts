import { createWebhookHandlers, createWebhookReceiver, parseWebhook } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { HttpResponse, http } from 'msw';
import { describe, expect, test } from 'vitest';
import { reasonFor } from '../src/inbox/failure.js';
import { cleanError } from '../src/redis/failure.js';
import { createClient, server } from './support/client.js';
import { RecordingLogger } from './support/recording-logger.js';
import { envelope, secret } from './webhooks/deliveries.js';

// Places where a pattern meets a text that a stranger, an end user or the service has chosen. A pattern that begins
// with a repeated class, or has two of them in a row, takes most of a minute for a text of what it repeats: more than
// the time limit of these tests. Any other takes milliseconds.

const PLACES: Readonly<Record<string, (text: string) => unknown>> = {
  'a body': (text) => deliver(text),
  'a body, behind the name of the secret': (text) => deliver(`{"workspaceSecret"${text}`),
  'a body, behind its colon': (text) => deliver(`{"workspaceSecret":${text}`),
  'a body with a secret that is no JSON': (text) => deliver(`{"workspaceSecret":"${secret}",${text}`),
  'a body with a secret and many brackets': (text) =>
    deliver(`{"workspaceSecret":"${secret}",${text.replaceAll(/../gs, '[ ')}`),
  'a body of one string': (text) => deliver(JSON.stringify(text)),
  'the encoding of a body': (text) => deliver('x', { 'content-encoding': text }),
  'the type of an event': (text) => deliver(JSON.stringify(envelope(text))),
  'a field of an envelope': (text) => deliver(JSON.stringify({ ...envelope('webhook_test'), [text]: 1 })),
  'a field of a payload': (text) => parse(envelope('webhook_test', { [text]: 1, message: text })),
  'what a handler throws': (text) => deliver(JSON.stringify(envelope('lead_captured', { leadName: text }))),
  'the reason of a dead letter': (text) => reasonFor(new Error(`x${text}x`)),
  'an error of Redis': (text) => cleanError(new Error(`NOPERM x${text}x`)),
  'the words of the service': (text) => call(HttpResponse.json({ message: text }, { status: 400 })),
  'a list of words of the service': (text) =>
    call(HttpResponse.json({ errors: [{ message: text, path: [text] }] }, { status: 400 })),
  'a page instead of a response': (text) => call(HttpResponse.text(`<html>${text}x`, { status: 502 })),
  'a plain text instead of a response': (text) => call(HttpResponse.text(`x${text}x`, { status: 502 })),
  'a response that is no JSON': (text) => call(HttpResponse.text(`{${text}`)),
  '`Retry-After`': (text) => {
    const headers = { 'retry-after': `x${text.replaceAll('\n', ',')}x` };
    return call(HttpResponse.text('', { status: 429, headers }));
  },
  'the path and the token of a request to the fake': async (text) => {
    const fake = createFakePlatform();
    const headers = { authorization: `Bearer ${text.replaceAll('\n', ',')}x y` };
    const { status } = await fake.fetch(`${fake.baseUrls.eu}/v3/tools/${text}x`, { headers });
    expect(status).toBe(401);
  },
};

async function deliver(body: string, headers = {}): Promise<void> {
  const handlers = createWebhookHandlers().on('lead_captured', ({ payload }) => {
    throw new Error(`x${payload.leadName}x`);
  });
  const receiver = createWebhookReceiver({ secret, handlers, logger: new RecordingLogger() });
  await receiver.handle({ method: 'POST', headers, body });
}

function parse(body: unknown): unknown {
  return parseWebhook(body, { secret, validation: 'strict' });
}

async function call(response: Response): Promise<void> {
  server.use(http.get('*', () => response));
  await expect(createClient({ maxRetries: 0 }).tools.get('tool_1')).rejects.toThrow();
}

describe.each(Object.entries(PLACES))('%s', (_, run) => {
  test.each(Object.entries({ blanks: ' ', 'line ends': '\n', 'one letter': 'a' }))(
    'takes a long text of %s',
    async (_name, character) => {
      const running = async () => void (await run(character.repeat(200_000)));
      await expect(running()).resolves.toBeUndefined();
    },
    10_000,
  );
});
