import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { connect } from '../../support/client.js';
import { MIB, peakRise } from '../support/heap.js';
import { operations, withEach } from '../support/operations.js';
import { isUnknown, outcomeOf } from '../support/outcome.js';
import { startRawServer } from '../support/raw-server.js';
import { watchProcess } from '../support/watch.js';
import { wire } from '../support/wire.js';

type Encode = (body: string) => Uint8Array;

const plain: Encode = (body) => Buffer.from(body);
const gzip: Encode = (body) => gzipSync(body);
const flipped =
  (encode: Encode, at: number): Encode =>
  (body) => {
    const bytes = Buffer.from(encode(body));
    const index = at < 0 ? bytes.length + at : at;
    bytes[index] = (bytes[index] ?? 0) ^ 0xff;
    return bytes;
  };
const shortened =
  (encode: Encode, by: number): Encode =>
  (body) =>
    encode(body).subarray(0, -by);

const value = ['value'];
const broken = ['connection_error', 'response_validation_error'];

const encodings: readonly [name: string, header: string, encode: Encode, types: readonly string[]][] = [
  ['gzip', 'gzip', gzip, value],
  ['deflate', 'deflate', (body) => deflateSync(body), value],
  ['deflate without its header', 'deflate', (body) => deflateRawSync(body), value],
  ['brotli', 'br', (body) => brotliCompressSync(body), value],
  ['gzip in gzip', 'gzip, gzip', (body) => gzipSync(gzipSync(body)), value],
  ['gzip that is not compressed', 'gzip', plain, broken],
  ['brotli that is not compressed', 'br', plain, broken],
  ['deflate that is not compressed', 'deflate', plain, broken],
  ['gzip that is brotli', 'gzip', (body) => brotliCompressSync(body), broken],
  ['compressed, and not said so', 'identity', gzip, broken],
  ['an encoding that nobody knows', 'rot13', plain, ['value', ...broken]],
  ['gzip with a wrong magic number', 'gzip', flipped(gzip, 0), broken],
  ['gzip with a broken block', 'gzip', flipped(gzip, 12), broken],
  ['gzip with a wrong checksum', 'gzip', flipped(gzip, -8), ['value', ...broken]],
  ['gzip with a wrong size', 'gzip', flipped(gzip, -1), ['value', ...broken]],
  ['gzip without its last bytes', 'gzip', shortened(gzip, 12), broken],
  ['a hundred encodings', Array(100).fill('gzip').join(', '), gzip, broken],
];

const answer = (header: string, body: Uint8Array, status = '200 OK') =>
  wire(
    status,
    [
      'content-type: application/json',
      `content-encoding: ${header}`,
      `content-length: ${body.length}`,
      'connection: close',
    ],
    body,
  );

test.each(encodings)('%s', async (_, header, encode, types) => {
  watchProcess();
  await withEach(async (operation) => {
    const server = await startRawServer((socket) => void socket.end(answer(header, encode(operation.body))));
    const platform = connect(server.url, { timeout: 20_000, maxRetries: 1 });
    const outcome = await outcomeOf(operation.call(platform));
    expect(types, operation.name).toContain(outcome.type);
    if (outcome.type === 'value') expect(outcome).toEqual({ type: 'value', value: operation.value });
    expect(isUnknown(outcome)).toBe(operation.method !== 'GET' && outcome.type !== 'value');
    if (operation.method !== 'GET') expect(server.requests).toHaveLength(1);
    await expect.poll(server.open, { timeout: 30_000 }).toBe(0);
  });
});

/** About 1 MB that unfolds to 1 GB: members of 16 MiB each, one after the other, as gzip allows. */
const bomb = Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * MIB, ' '), { level: 9 })));
/** The same once more: some kilobytes. */
const bombInBomb = gzipSync(bomb, { level: 9 });

test.each([
  ['1 MB of gzip', '200 OK', 'gzip', bomb, 'response_validation_error'],
  ['some kilobytes of gzip in gzip', '200 OK', 'gzip, gzip', bombInBomb, 'response_validation_error'],
  ['1 MB of gzip in an error', '500 Internal Server Error', 'gzip', bomb, 'server_error'],
])('%s that unfolds to 1 GB is read up to maxResponseBytes', async (_, status, header, body, type) => {
  watchProcess();
  const server = await startRawServer((socket) => void socket.end(answer(header, body, status)));
  const platform = connect(server.url, { timeout: 60_000, maxResponseBytes: MIB });
  const rise = await peakRise(async () => {
    for (const operation of operations) {
      const outcome = await outcomeOf(operation.call(platform));
      expect(outcome.type, operation.name).toBe(type);
      expect(isUnknown(outcome), operation.name).toBe(operation.method !== 'GET');
    }
  });
  // A tenth of what one of them unfolds to would show that something keeps what it reads.
  expect(rise).toBeLessThan(100 * MIB);
  await expect.poll(server.open, { timeout: 30_000 }).toBe(0);
});
