import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connect } from '../../support/client.js';
import { fcParameters } from '../support/form.js';
import { type Operation, operations } from '../support/operations.js';
import { outcomeOf } from '../support/outcome.js';
import { startRawServer } from '../support/raw-server.js';
import { watchProcess } from '../support/watch.js';
import { framings } from '../support/wire.js';

/** One change of a byte string. */
type Change = (bytes: Buffer) => Buffer;

const position = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const at = (bytes: Buffer, share: number) => Math.floor(share * bytes.length);

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(position, fc.nat(255)).map(([share, byte]): Change => {
    return (bytes) => {
      bytes[at(bytes, share)] = byte;
      return bytes;
    };
  }),
  fc.tuple(position, fc.uint8Array({ minLength: 1, maxLength: 40 })).map(([share, noise]): Change => {
    return (bytes) =>
      Buffer.concat([bytes.subarray(0, at(bytes, share)), noise, bytes.subarray(at(bytes, share))]);
  }),
  fc.tuple(position, position).map(([from, to]): Change => {
    return (bytes) => Buffer.concat([bytes.subarray(0, at(bytes, from)), bytes.subarray(at(bytes, to))]);
  }),
);

const answers = fc
  .tuple(
    fc.constantFrom<Operation>(...operations),
    fc.constantFrom(...Object.values(framings)),
    fc.constantFrom('200 OK', '204 No Content', '404 Not Found', '500 Broken'),
    fc.array(changes, { maxLength: 4 }),
  )
  .map(([operation, frame, status, list]): [Operation, Buffer] => [
    operation,
    list.reduce((bytes, change) => change(bytes), frame(status, operation.body)),
  ]);

const noise = fc.tuple(
  fc.constantFrom<Operation>(...operations),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
);

/** A call that is answered with certain bytes. What noise has made of a status or a body is taken for what it says. */
async function answering(): Promise<(operation: Operation, bytes: Buffer) => Promise<void>> {
  let answer: Uint8Array = Buffer.alloc(0);
  const server = await startRawServer((socket) => void socket.end(answer));
  const platform = connect(server.url, { timeout: 20_000 });
  return async (operation, bytes) => {
    answer = bytes;
    const before = server.requests.length;
    await outcomeOf(operation.call(platform));
    expect(server.requests).toHaveLength(before + 1);
  };
}

test.each([
  ['an answer with noise in it', answers, 300],
  ['noise alone', noise, 100],
])('%s comes to a value or to a typed error', async (_, arbitrary, numRuns) => {
  watchProcess();
  const expectTypedEnd = await answering();
  const property = fc.asyncProperty(arbitrary, ([operation, bytes]) => expectTypedEnd(operation, bytes));
  await fc.assert(property, fcParameters(numRuns));
});
