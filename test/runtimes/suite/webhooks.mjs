import { equal, ok, thrownBy } from './harness.mjs';

const SECRET = 'a-workspace-secret-of-the-suite';

/** A receiver that records the events it handles and the reasons of those it refuses. */
function receiverOf({ sdk }, options) {
  const [handled, rejected] = [[], []];
  const receiver = sdk
    .createWebhookReceiver({ secret: SECRET, logLevel: 'off', ...options })
    .onAny((event) => void handled.push(event))
    .onRejected(({ reason }) => rejected.push(reason));
  return { receiver, handled, rejected };
}

const post = (body) => new Request('https://receiver.example/webhooks', { method: 'POST', body });

const delivery = ({ testing }, secret = SECRET) =>
  JSON.stringify(testing.fixtures.delivery('lead_captured', secret));

export const webhooks = {
  async 'receives a delivery through fetch and handle, and a duplicate once'(context) {
    const { receiver, handled } = receiverOf(context);
    equal((await receiver.fetch(post(delivery(context)))).status, 200);
    equal((await receiver.handle({ method: 'POST', body: delivery(context) })).status, 200);
    equal(
      handled.map(({ type }) => type),
      ['lead_captured'],
    );
    ok(!JSON.stringify(handled).includes(SECRET), 'the payload contains the secret');
  },

  async 'refuses a delivery that is unauthenticated, too large or malformed'(context) {
    const { receiver, handled, rejected } = receiverOf(context, { maxBodyBytes: 1_000 });
    equal((await receiver.fetch(post(delivery(context, 'forged')))).status, 401);
    equal((await receiver.fetch(post('x'.repeat(5_000)))).status, 413);
    equal((await receiver.fetch(post(delivery(context).slice(0, -1)))).status, 400);
    equal((await receiver.fetch(new Request('https://receiver.example/'))).status, 405);
    equal([handled, rejected.length], [[], 4]);
  },

  async 'parses a string, bytes, an object and a Request'(context) {
    const { sdk } = context;
    const body = delivery(context);
    for (const form of [body, new TextEncoder().encode(body), JSON.parse(body)]) {
      equal(sdk.parseWebhook(form, { secret: SECRET }).type, 'lead_captured');
    }
    const verifySecret = async (presented) => presented === SECRET && { workspace: 'sales' };
    const event = await sdk.parseWebhookRequest(post(body), { verifySecret });
    equal([event.type, event.workspace], ['lead_captured', 'sales']);
    const forged = await thrownBy(() => sdk.parseWebhook(delivery(context, 'forged'), { secret: SECRET }));
    equal(forged.name, 'WebhookVerificationError');
  },
};

/** For runtimes with `node:http`. */
export const nodeWebhooks = {
  async 'receives deliveries from the fake through node'({ eu, control, ...context }) {
    const { createServer } = process.getBuiltinModule('node:http');
    const { receiver, handled, rejected } = receiverOf(context, { secret: eu.workspaceSecret });
    const server = createServer(receiver.node);
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    await control('POST', '/subscriptions', { url: `http://127.0.0.1:${server.address().port}/` });
    const authentic = await control('POST', '/events', { type: 'message_received', copies: 2 });
    const forged = await control('POST', '/events', { type: 'bug_reported', forged: true });
    server.closeAllConnections();
    server.close();
    const deliveries = [...authentic.deliveries, ...forged.deliveries];
    equal(
      deliveries.map(({ status }) => status),
      [200, 200, 401],
    );
    equal([handled.map(({ type }) => type), rejected], [['message_received'], ['verification_failed']]);
  },
};
