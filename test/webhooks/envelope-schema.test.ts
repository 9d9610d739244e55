import {
  dataEnvelopeSchema,
  endpoint,
  parseWebhook,
  ToolSchema,
  type WebhookEventType,
  webhookEnvelopeSchema,
  webhookEvents,
} from 'agent-platform-sdk';
import { fixtures } from 'agent-platform-sdk/testing';
import { expect, expectTypeOf, test } from 'vitest';
import * as classic from 'zod';
import * as mini from 'zod/mini';
import { answerWith, connectTo } from '../support/msw.js';

const secret = 'secret-of-the-envelopes';
const types = Object.keys(webhookEvents) as WebhookEventType[];

test.each(types)('the envelope of %s is as it is posted, by itself and among all', (type) => {
  const delivery = { ...fixtures.delivery(type, secret), aNewField: 1 };
  for (const schema of [webhookEnvelopeSchema(type), webhookEnvelopeSchema()]) {
    expect(schema.parse(delivery)).toEqual(delivery);
    expect(mini.array(schema).parse([delivery])).toEqual([delivery]);
    expect(classic.object({ body: schema }).parse({ body: delivery })).toEqual({ body: delivery });
  }
  // What the schema accepts, the receiver accepts.
  expect(parseWebhook(delivery, { secret, validation: 'report' }).type).toBe(type);
});

test.each(types)('the envelope of %s requires the secret, its own type, and the payload of it', (type) => {
  const { payload } = fixtures.delivery(type, secret);
  const { workspaceSecret: _, ...withoutSecret } = payload;
  const { createdAt: _at, ...withoutTime } = payload;
  const wrong: [value: object, path: string][] = [
    [{ type, payload: withoutSecret }, 'payload.workspaceSecret'],
    [{ type, payload: { ...payload, workspaceSecret: 7 } }, 'payload.workspaceSecret'],
    [{ type, payload: withoutTime }, 'payload.createdAt'],
    [{ type: 'lead_lost', payload }, 'type'],
    [{ type }, 'payload'],
  ];
  for (const [value, path] of wrong) {
    for (const schema of [webhookEnvelopeSchema(type), webhookEnvelopeSchema()]) {
      const issues = schema.safeParse(value).error?.issues.map((issue) => issue.path.join('.'));
      expect(issues).toEqual([path]);
    }
  }
});

test.each(types)('the envelope of %s takes no other event', (type) => {
  const schema = webhookEnvelopeSchema(type);
  const taken = types.filter((other) => schema.safeParse(fixtures.delivery(other, secret)).success);
  expect(taken).toEqual([type]);
});

test('`type` narrows the payload, and nothing else compiles', () => {
  const delivery = webhookEnvelopeSchema().parse(fixtures.delivery('lead_captured', secret));
  if (delivery.type === 'lead_captured') {
    expectTypeOf(delivery.payload.leadEmail).toEqualTypeOf<string | undefined>();
    expectTypeOf(delivery.payload.workspaceSecret).toEqualTypeOf<string>();
  }
  // @ts-expect-error no such event
  expect(() => webhookEnvelopeSchema('lead_lost')).toThrow(
    new TypeError('There is no event type lead_lost.'),
  );
  // @ts-expect-error nor is what every object has
  expect(() => webhookEnvelopeSchema('toString')).toThrow('There is no event type toString.');
  // @ts-expect-error nor is a text that is empty one
  expect(() => webhookEnvelopeSchema('')).toThrow(TypeError);
});

test('the schema of an answer with data takes that of its record, a list of it, or one of your own', () => {
  const tool = { id: 'tool_1', aNewField: 1 };
  const envelope = { success: true, message: 'OK', more: 1 };
  expect(dataEnvelopeSchema(ToolSchema).parse({ ...envelope, data: tool })).toEqual({
    ...envelope,
    data: tool,
  });
  for (const z of [classic, mini]) {
    const list = dataEnvelopeSchema(z.array(ToolSchema));
    expect(
      z.object({ answer: list }).parse({ answer: { ...envelope, data: [tool] } }).answer.data[0]?.id,
    ).toBe('tool_1');
    const own = dataEnvelopeSchema(z.object({ id: z.string() }));
    expect(own.parse({ ...envelope, data: { id: 'x' } }).data.id).toBe('x');
    expect(own.safeParse({ ...envelope, data: {} }).success).toBe(false);
  }
  const answer = dataEnvelopeSchema(ToolSchema).safeParse({ data: tool });
  expect(answer.error?.issues.map(({ path }) => path)).toEqual([['success'], ['message']]);
});

test('around a schema of your own, its output is what a call returns', async () => {
  const count = classic.object({ count: classic.string().transform(Number) });
  const getCount = endpoint({ method: 'GET', path: '/count', response: dataEnvelopeSchema(count) });
  const { platform } = connectTo(answerWith(200, { success: true, message: 'OK', data: { count: '7' } }));
  expect((await platform.send(getCount, {})).data.count).toBe(7);
});
