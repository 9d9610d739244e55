import { equal, ok, thrownBy } from './harness.mjs';

const SECRET = 'a-workspace-secret-of-the-suite';

/** A receiver that notes what reaches its handlers and what it refuses. */
function receiverOf({ sdk }, options = {}) {
  const [handled, rejected] = [[], []];
  const receiver = sdk
    .createWebhookReceiver({ secret: SECRET, logLevel: 'off', ...options })
    .onAny((event) => handled.push(event))
    .onRejected(({ reason }) => rejected.push(reason));
  return { receiver, handled, rejected };
}

function post(body) {
  return new Request('https://receiver.example/webhooks', { method: 'POST', body });
}

function delivery({ testing }, secret = SECRET, overrides = {}) {
  return JSON.stringify(testing.fixtures.delivery('lead_captured', secret, overrides));
}

export const webhookChecks = {
  async 'a webhook is verified, handled and answered'(context) {
    const { receiver, handled } = receiverOf(context);
    equal((await receiver.fetch(post(delivery(context)))).status, 200);
    equal([handled.length, handled[0].type], [1, 'lead_captured']);
    ok(!JSON.stringify(handled).includes(SECRET), 'expected the secret to be gone');
  },

  async 'a forged webhook reaches no handler'(context) {
    const { receiver, handled, rejected } = receiverOf(context);
    equal((await receiver.fetch(post(delivery(context, 'forged')))).status, 401);
    equal([handled.length, rejected], [0, ['verification_failed']]);
  },

  async 'a copy is handled once'(context) {
    const { receiver, handled } = receiverOf(context);
    const answers = await Promise.all(
      [1, 2, 3].map(() => receiver.handle({ method: 'POST', body: delivery(context) })),
    );
    equal([answers.map(({ status }) => status), handled.length], [[200, 200, 200], 1]);
  },

  async 'what is too large, no JSON, or no POST is refused'(context) {
    const { receiver, handled, rejected } = receiverOf(context, { maxBodyBytes: 1_000 });
    equal((await receiver.fetch(post('x'.repeat(5_000)))).status, 413);
    equal((await receiver.fetch(post(delivery(context).slice(0, -1)))).status, 400);
    equal((await receiver.fetch(new Request('https://receiver.example/'))).status, 405);
    equal([handled, rejected], [[], ['body_too_large', 'not_json', 'method_not_allowed']]);
  },

  async 'a handler that fails is answered 500'({ sdk, ...context }) {
    const failures = [];
    const receiver = sdk
      .createWebhookReceiver({ secret: SECRET, logLevel: 'off' })
      .on('lead_captured', () => Promise.reject(new Error('full')))
      .onError((error, { stage }) => failures.push([error.message, stage]));
    equal((await receiver.fetch(post(delivery(context)))).status, 500);
    equal(failures, [['full', 'handler']]);
  },

  async 'a delivery ends at its deadline'({ sdk, ...context }) {
    const receiver = sdk
      .createWebhookReceiver({ secret: SECRET, logLevel: 'off', deadline: 100, dedupe: false })
      .on(
        'lead_captured',
        (_event, { signal }) => new Promise((done) => signal.addEventListener('abort', done)),
      );
    equal((await receiver.fetch(post(delivery(context)))).status, 500);
  },

  async 'parseWebhook verifies strings, bytes and objects'({ sdk, ...context }) {
    const body = delivery(context);
    for (const form of [body, new TextEncoder().encode(body), JSON.parse(body)]) {
      equal(sdk.parseWebhook(form, { secret: ['another', SECRET] }).type, 'lead_captured');
    }
    const forged = await thrownBy(() => sdk.parseWebhook(delivery(context, 'forged'), { secret: SECRET }));
    equal([forged.name, forged.type], ['WebhookVerificationError', 'webhook_verification_error']);
    const wrong = await thrownBy(() =>
      sdk.parseWebhook(delivery(context, SECRET, { agentId: 7 }), { secret: SECRET }),
    );
    equal([wrong.name, wrong.issues[0].path], ['WebhookPayloadError', ['payload', 'agentId']]);
  },

  async 'parseWebhookRequest takes a Request, and a function that loads the secret or decides on it'({
    sdk,
    ...context
  }) {
    const loaded = await sdk.parseWebhookRequest(post(delivery(context)), { secret: async () => SECRET });
    equal(loaded.type, 'lead_captured');
    const verifySecret = async (presented) => presented === SECRET && { workspace: 'sales' };
    const event = await sdk.parseWebhookRequest(post(delivery(context)), { verifySecret });
    equal([event.type, event.workspace], ['lead_captured', 'sales']);
  },
};

/** For runtimes that can listen. */
export const webhookServerChecks = {
  async 'webhooks of the fake arrive over HTTP'({ seed, control, ...context }) {
    const { createServer } = process.getBuiltinModule('node:http');
    const { receiver, handled, rejected } = receiverOf(context, { secret: seed.eu.workspaceSecret });
    const server = createServer(receiver.node);
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    await control('POST', '/subscriptions', { url: `http://127.0.0.1:${server.address().port}/` });
    const genuine = await control('POST', '/events', { type: 'message_received', copies: 2 });
    const forged = await control('POST', '/events', { type: 'bug_reported', forged: true });
    server.closeAllConnections();
    server.close();
    equal(
      [...genuine.deliveries, ...forged.deliveries].map(({ status }) => status),
      [200, 200, 401],
    );
    equal([handled.map(({ type }) => type), rejected], [['message_received'], ['verification_failed']]);
  },
};

/** For runtimes that cannot. */
export const noServerChecks = {
  async 'a fake that cannot listen says so'({ testing }) {
    const error = await thrownBy(() => testing.createFakePlatform().listen());
    equal(error.name, 'AgentPlatformError');
  },
};
