import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { calls, outcomeOf, startRawServer, wire } from '../../support/raw-server.js';
import { connect } from '../../support/server.js';

type Encode = (body: string) => Uint8Array;

const plain: Encode = (body) => Buffer.from(body);
const gzip: Encode = (body) => gzipSync(body);
const flipped =
  (at: number): Encode =>
  (body) => {
    const bytes = gzipSync(body);
    const index = (at + bytes.length) % bytes.length;
    bytes[index] = (bytes[index] ?? 0) ^ 0xff;
    return bytes;
  };

const value = ['value'];
const broken = ['connection_error', 'response_validation_error'];

const answer = (encoding: string, body: Uint8Array, status = '200 OK') =>
  wire(
    status,
    [
      'content-type: application/json',
      `content-encoding: ${encoding}`,
      `content-length: ${body.length}`,
      'connection: close',
    ],
    body,
  );

test.each<[name: string, encoding: string, encode: Encode, types: readonly string[]]>([
  ['gzip', 'gzip', gzip, value],
  ['deflate', 'deflate', (body) => deflateSync(body), value],
  ['deflate without its header', 'deflate', (body) => deflateRawSync(body), value],
  ['brotli', 'br', (body) => brotliCompressSync(body), value],
  ['gzip in gzip', 'gzip, gzip', (body) => gzipSync(gzipSync(body)), value],
  ['gzip that is not compressed', 'gzip', plain, broken],
  ['brotli that is not compressed', 'br', plain, broken],
  ['gzip that is brotli', 'gzip', (body) => brotliCompressSync(body), broken],
  ['gzip that is not declared', 'identity', gzip, broken],
  ['gzip with a wrong magic number', 'gzip', flipped(0), broken],
  ['gzip with a broken block', 'gzip', flipped(12), broken],
  ['gzip with a wrong checksum', 'gzip', flipped(-8), [...value, ...broken]],
  ['gzip without its last bytes', 'gzip', (body) => gzipSync(body).subarray(0, -12), broken],
])('an answer in %s is read or a typed error', async (_, encoding, encode, types) => {
  for (const call of calls) {
    const server = await startRawServer((socket) => void socket.end(answer(encoding, encode(call.body))));
    const outcome = await outcomeOf(call.make(connect(server.url, { maxRetries: 1 })));
    expect(types).toContain(outcome.type);
    if (outcome.type === 'value') expect(outcome.value).toEqual(call.value);
    expect(outcome.unknown).toBe(call.method !== 'GET' && outcome.type !== 'value');
    await expect.poll(server.open, { timeout: 20_000 }).toBe(0);
  }
});
