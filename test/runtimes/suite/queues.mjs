// The inbox of the example cloudflare-queues in workerd, whose events the test processes behind a binding.
import { WebhookPayloadError } from 'agent-platform-sdk';
import { consume, createQueueInbox } from '../cloudflare-queues/queue.js';

const post = ({ TEST }, path, event) =>
  TEST.fetch(`http://test${path}`, { method: 'POST', body: JSON.stringify(event) });

export default {
  async fetch(request, environment) {
    await createQueueInbox(environment).store(await request.json());
    return new Response();
  },
  async queue(batch, environment) {
    if (batch.queue === 'dead-letters') {
      await Promise.all(batch.messages.map(({ body }) => post(environment, '/dead-letters', body)));
      return;
    }
    await consume(batch, environment, async (stored) => {
      const { status } = await post(environment, '/process', stored);
      if (status === 422) throw new WebhookPayloadError('does not fit', { issues: [] });
      if (status !== 200) throw new Error('failed');
    });
  },
};
