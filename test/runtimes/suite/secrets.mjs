import { equal, ok, thrownBy } from './harness.mjs';

const TOKEN = 'canary-token-of-the-suite';

/** All that an error, or anything else, shows of itself. */
function shown(value) {
  const { inspect } = globalThis.process?.getBuiltinModule?.('node:util') ??
    globalThis.Deno ?? { inspect: String };
  return [String(value), value?.stack, JSON.stringify(value), inspect(value)].join('\n');
}

function recorder() {
  const lines = [];
  const write = (line) => lines.push(line);
  return { lines, logger: { error: write, warn: write, info: write, debug: write } };
}

export const secretChecks = {
  async 'no client, error or log line shows the token'({ connect, fault }) {
    const { lines, logger } = recorder();
    const platform = connect({ token: TOKEN, logger, logLevel: 'debug', headers: { 'x-api-key': TOKEN } });
    const refused = await thrownBy(() => platform.tools.get('tool'));
    await fault({ kind: 'wrong-shape', status: 500, body: { message: `echo ${TOKEN}`, code: 'echo' } });
    const echoed = await thrownBy(() => platform.tools.get('tool'));
    equal([refused.status, echoed.status], [401, 500]);
    ok(lines.length > 0, 'expected log lines');
    const everything = [platform, refused, echoed, echoed.cause, lines].map(shown).join('\n');
    ok(!everything.includes(TOKEN), `the token shows in:\n${everything}`);
  },

  async 'marked fields show in records, and nowhere else'({ connect, sdk, seed: { eu }, fault }) {
    const { lines, logger } = recorder();
    const tool = { id: 7, serverUrlSecret: 'canary-of-a-record' };
    await fault({ kind: 'wrong-shape', body: { success: true, message: '', data: tool }, times: 2 });
    const platform = connect({ logger, logLevel: 'debug' });
    const error = await thrownBy(() => platform.tools.get(eu.toolId));
    ok(!(shown(error) + lines.join('\n')).includes('canary'), `the field shows in ${shown(error)}`);
    equal(await connect({ validation: 'off' }).tools.get(eu.toolId), tool);
    equal(sdk.redact(tool), { id: 7, serverUrlSecret: '[redacted]' });
  },

  async 'the secret of a webhook shows in no error and no log line'({ sdk, testing }) {
    const { lines, logger } = recorder();
    const options = { secret: 'canary-of-a-receiver', logger, logLevel: 'debug' };
    const receiver = sdk.createWebhookReceiver(options);
    const payload = { message: 7, createdAt: 1 };
    for (const workspaceSecret of ['canary-of-a-receiver', 'canary-of-a-stranger']) {
      const body = { type: 'webhook_test', payload: { ...payload, workspaceSecret } };
      await receiver.handle({ method: 'POST', body });
      const error = await thrownBy(() => sdk.parseWebhook(body, { secret: options.secret }));
      lines.push(shown(error));
    }
    lines.push(shown(receiver), shown(testing.createFakePlatform().requests));
    ok(lines.length >= 4 && !lines.join('\n').includes('canary'), lines.join('\n'));
  },
};
