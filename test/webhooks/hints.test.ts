import { once } from 'node:events';
import { Readable } from 'node:stream';
import { createWebhookHandlers, type HandlingReceiver, parseWebhook } from 'agent-platform-sdk';
import express from 'express';
import { expect, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { delivery, secret } from './deliveries.js';
import { handling, inMemory, never, requestOf } from './receivers.js';

// What a refusal says: in the log, to onRejected, and in the errors of parseWebhook.

const text = delivery('webhook_test');
const given =
  (request: unknown) =>
  ({ handle }: HandlingReceiver) =>
    handle(request as never);
const body = (sent: unknown, headers = {}) => given({ method: 'POST', body: sent, headers });
const readUntil = (event: 'data' | 'end') => async (receiver: HandlingReceiver) => {
  const { request, response } = inMemory([text, text]);
  request.on('data', () => event === 'data' && request.pause());
  await once(request, event);
  await receiver.node(request, response);
};
const locked = () => {
  const request = requestOf(text);
  request.body?.getReader();
  return request;
};

test.each<[what: string, deliver: (receiver: HandlingReceiver) => unknown, hint: RegExp]>([
  ['nothing for handle', given(undefined), /receiver\.handle\(\{ method, body \}\)/],
  ['no method', given({ body: text }), /`method` is missing/],
  [
    'a parsed body for handle',
    given(JSON.parse(text)),
    /This is the parsed body\. Pass receiver\.handle\(\{ met/,
  ],
  [
    'the context of Koa',
    given({ method: 'POST', request: {}, req: {} }),
    /receiver\.node\(context\.req, context\.res\)/,
  ],
  ['the context of Hono', given({ req: { raw: requestOf(text) } }), /receiver\.fetch\(c\.req\.raw\)/],
  ['a request of Hono', given({ arrayBuffer: never, raw: {} }), /Pass it on: receiver\.fetch\(c\.req\.raw\)/],
  ['an event of Lambda', given({ requestContext: { http: {} }, body: '{}' }), /AWS Lambda.*isBase64Encoded/],
  ['an older event of Lambda', given({ httpMethod: 'POST', body: '{}' }), /AWS Lambda/],
  ['a Request for handle', given({ arrayBuffer: never }), /receiver\.fetch\(request\)/],
  [
    'an unread request of Node',
    given(inMemory([]).request),
    /Pass it to receiver\.node\(request, response\)/,
  ],
  [
    'a Node stream as the body',
    body(Readable.from([])),
    /Only receiver\.node\(request, response\) reads one/,
  ],
  ['an empty body', body(''), /empty\. Was it read before\?/],
  ['no body', body(undefined), /Is a body parser mounted/],
  ['a stream that others read', body(locked().body), /The body was read before/],
  ['a Request that others read', ({ fetch }) => fetch(locked()), /receiver\.node\(request, response, body\)/],
  [
    'a Request that was read',
    async ({ fetch }) => {
      const request = requestOf(text);
      await request.text();
      return fetch(request);
    },
    /Mount the receiver before whatever reads it/,
  ],
  ['a request of Node that was read', readUntil('end'), /The body was read before/],
  ['a request whose first chunk was read', readUntil('data'), /The body was read before/],
  [
    'a wrong secret',
    body(delivery('later', { workspaceSecret: 'of another region' })),
    /none of your secrets/,
  ],
  ['a wrong secret that was parsed', body({ payload: { workspaceSecret: 'x' } }), /none of your secrets/],
  [
    'a probe',
    body(delivery('later', { workspaceSecret: 'forged-by-agent-platform-sdk' })),
    /forged event of `agent-/,
  ],
  ['no secret', body('{"type":"webhook_test"}'), /has no `payload.workspaceSecret`/],
  ['brotli', body(Uint8Array.of(0x8b, 2), { 'content-encoding': 'br' }), /compressed \(br\)\. .* only gzip/],
  [
    'zstd',
    ({ fetch }) => fetch(requestOf('x', { 'content-encoding': 'zstd' })),
    /compressed \(zstd\)\. .* only gzip/,
  ],
  [
    'a body that is too large',
    body('x'.repeat(9_000)),
    /The limit is 8192 bytes: raise the option maxBodyBytes/,
  ],
])('%s: refused, with a hint', async (_, deliver, hint) => {
  const { receiver, all, rejections, payloads } = handling({ maxBodyBytes: 8_192 });
  const response = await deliver(receiver);
  expect(rejections).toMatchObject([{ hint: expect.stringMatching(hint) as string }]);
  expect(all()).toContain(`\n  ${rejections[0]?.hint}`);
  expect(all()).not.toContain('of another region');
  expect(JSON.stringify(response ?? '')).not.toContain(rejections[0]?.hint);
  expect(payloads()).toEqual([]);
});

const open = (field: string) => `{"type":"webhook_test","payload":{"workspaceSecret":"${secret}",${field}`;
const head = open('').length;
const breaks = (at: number, of: number, found = '') =>
  `The JSON breaks at position ${head + at} of ${head + of}${found}.`;

test.each<[what: string, code: string, sent: string, hint: string]>([
  [
    'a JSON string',
    'verification_failed',
    JSON.stringify(text),
    'JSON inside a string: it was stringified twice',
  ],
  ['base64', 'verification_failed', Buffer.from(text).toString('base64'), 'base64: decode it'],
  ['a form', 'verification_failed', `payload=${encodeURIComponent(text)}`, 'form data: send JSON'],
  [
    'parts',
    'verification_failed',
    `--boundary\r\ncontent-disposition: x\r\n\r\n${text}`,
    'form data: send JSON',
  ],
  ['another compression', 'verification_failed', 'ÿü\0', 'neither a JSON object nor gzip'],
  ['NaN', 'not_json', open('"score":NaN}}'), breaks(8, 13, ': NaN is not JSON')],
  ['a trailing comma', 'not_json', open('"a":1,}}'), breaks(6, 8)],
  ['a trailing comma in a list', 'not_json', open('"a":[1,]}}'), breaks(7, 10)],
  ['no comma', 'not_json', open('"a":1 "b":2}}'), breaks(6, 13)],
  ['a raw line break', 'not_json', open('"a":"b\n"}}'), breaks(4, 10)],
  ['text behind it', 'not_json', open('"a":1}}x'), breaks(7, 8)],
  ['its end missing', 'not_json', open('"a":{"b":[1'), `The JSON is cut off at position ${head + 11}, or`],
  ['a bracket too many', 'not_json', open('"a":[1]]}}'), 'or its brackets do not match.'],
])('%s as the body is named, and not quoted', async (_, code, sent, hint) => {
  const own = code === 'not_json' ? secret : 'another-secret';
  const { all, rejections, send } = handling({ secret: own });
  expect((await send(sent))[1]).toBe(code);
  expect(rejections).toMatchObject([{ hint: expect.stringContaining(hint) as string }]);
  expect(all()).toContain(hint);
  expect(() => parseWebhook(sent, { secret: own })).toThrow(hint);
});

test.each([
  ['a string of escapes, which no regular expression takes', `"a":"${'\\n'.repeat(2_000_000)}",}`],
  ['blanks in a list', `"a":[${' '.repeat(4_000_000)}x]}}`],
  ['blanks behind a comma', `"a":1,${' '.repeat(4_000_000)}}}`],
  ['open lists', `"a":${'[ '.repeat(200_000)}x`],
])('millions of characters are a 400 too: %s', async (_, field) => {
  expect(await handling().send(open(field))).toEqual([400, 'not_json']);
});

test.each<[string, object]>([
  ['1.0', { httpMethod: 'POST', requestContext: { stage: 'prod' } }],
  ['2.0', { version: '2.0', requestContext: { http: { method: 'POST' } } }],
])('the hint for an event of Lambda is right for payload format %s', async (_, parts) => {
  const { receiver, rejections } = handling();
  const event = { ...parts, body: btoa(text), isBase64Encoded: true };
  await receiver.handle(event as never);
  const code = /receiver\.handle\(.*\)/.exec(rejections[0]?.hint ?? '')?.[0];
  // What a user would paste.
  // oxlint-disable-next-line typescript/no-implied-eval
  const handle = new Function('receiver', 'event', `return ${code}`) as (...args: unknown[]) => unknown;
  expect(await handle(receiver, event)).toMatchObject({ status: 200 });
});

test('a receiver on every route of Express is a warning', async () => {
  const { receiver, lines } = handling();
  const everywhere = express().use(receiver.node);
  expect((await fetch(`${await serve(everywhere)}/health`)).status).toBe(405);
  expect(lines).toEqual([
    expect.stringMatching(/^warn .*405[^]*mounted on every route.*app\.use\('\/webhooks', receiver\.node\)/),
  ]);
  const right = express().use('/webhooks', receiver.node).post('/other', receiver.node);
  const url = await serve(right);
  for (const path of ['webhooks', 'webhooks/more', 'other']) await fetch(`${url}/${path}`);
  expect(lines).toHaveLength(1);
});

test('process with the body of a request says where it goes', async () => {
  const processing = createWebhookHandlers().process(JSON.parse(text) as never);
  await expect(processing).rejects.toThrow('Pass a raw body to a receiver or to parseWebhook');
});
