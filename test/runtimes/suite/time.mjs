import { equal, thrownBy } from './harness.mjs';

const LONG = 600_000;

export const timeChecks = {
  async 'an answer that does not come ends at the timeout'({ connect, seed: { eu }, fault }) {
    await fault({ kind: 'latency', ms: LONG });
    const error = await thrownBy(() => connect({ timeout: 100 }).tools.get(eu.toolId));
    equal([error.name, error.type], ['TimeoutError', 'timeout_error']);
  },

  async 'a body that stalls ends at the timeout'({ connect, seed: { eu }, fault }) {
    await fault({ kind: 'stall', after: 5 });
    const error = await thrownBy(() => connect({ timeout: 300 }).tools.get(eu.toolId));
    equal([error.name, error.type], ['TimeoutError', 'timeout_error']);
  },

  async 'the total timeout ends the attempts'({ connect, seed: { eu }, fault }) {
    await fault({ kind: 'latency', ms: LONG, times: 'always' });
    const platform = connect({ timeout: 50, totalTimeout: 300, maxRetries: 1_000 });
    equal((await thrownBy(() => platform.tools.get(eu.toolId))).name, 'TimeoutError');
  },

  async 'a call can be aborted while it waits'({ connect, seed: { eu }, fault }) {
    await fault({ kind: 'latency', ms: LONG });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 50);
    const error = await thrownBy(() => connect().tools.get(eu.toolId, { signal: controller.signal }));
    equal([error.name, error.type, error.cause?.message], ['AbortError', 'abort_error', 'enough']);
  },

  async 'a call can be aborted in the middle of its answer'({ connect, seed: { eu }, fault }) {
    await fault({ kind: 'stall', after: 5 });
    const controller = new AbortController();
    const hooks = { onResponse: () => void setTimeout(() => controller.abort(), 50) };
    setTimeout(() => controller.abort(), 500);
    const error = await thrownBy(() =>
      connect({ hooks }).tools.get(eu.toolId, { signal: controller.signal }),
    );
    equal(error.name, 'AbortError');
  },

  async 'an aborted signal sends nothing'({ connect, seed: { eu }, requests }) {
    const error = await thrownBy(() => connect().tools.get(eu.toolId, { signal: AbortSignal.abort() }));
    equal([error.name, (await requests()).length], ['AbortError', 0]);
  },
};
