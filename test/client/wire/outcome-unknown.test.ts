import { expect, test } from 'vitest';
import { connect, expectOutcome, rejectionOf } from '../../support/client.js';
import { type Answer, answerWith, closedAddress, connectTo } from '../../support/server.js';

const reset: Answer = (_, response) => void response.socket?.destroy();
const cutBody: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': 100 });
  response.write('{"success":', () => response.destroy());
};
const stall: Answer = () => undefined;
const stallInBody: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': 100 });
  response.write('{"success":');
};

const outcomes: [string, Answer, boolean][] = [
  ['a reset connection', reset, true],
  ['a body that was cut off', cutBody, true],
  ['no answer within the timeout', stall, true],
  ['a body that stalls half way', stallInBody, true],
  ['a 303 without a body', answerWith(303, '', { location: '/' }), true],
  ['a 307 to another host', answerWith(307, '', { location: 'http://127.0.0.1:1/' }), false],
  ['a 308 to another host', answerWith(308, '', { location: 'http://127.0.0.1:1/' }), false],
];

test.each(outcomes)('%s', async (_, answer, unknown) => {
  // Long enough for an answer on a busy machine, where one comes.
  const timeout = answer === stall || answer === stallInBody ? 60 : 10_000;
  await expectOutcome(async () => (await connectTo(answer, { timeout })).platform, unknown);
});

test('a connection that was never made leaves nothing unknown', async () => {
  const platform = connect(await closedAddress());
  const error = await rejectionOf(platform.workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'connection_error', outcomeUnknown: false });
});

test('a call aborted while it is under way is unknown; one aborted before is not', async () => {
  const controller = new AbortController();
  const { platform } = await connectTo(() => controller.abort());
  expect(await rejectionOf(platform.workspaces.delete('w1', { signal: controller.signal }))).toMatchObject({
    type: 'abort_error',
    outcomeUnknown: true,
  });
  expect(await rejectionOf(platform.workspaces.delete('w1', { signal: controller.signal }))).toMatchObject({
    type: 'abort_error',
    outcomeUnknown: false,
  });
});
