import { createWebhookReceiver } from 'agent-platform-sdk';

export function prepare(body, handler) {
  const receiver = createWebhookReceiver({ secret: 'bench-secret', dedupe: false })
    .on(JSON.parse(body).type, handler)
    .onError((error) => {
      throw error;
    });
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  return async () => {
    const { status } = await receiver.handle(request);
    if (status !== 200) throw new Error(`answered ${status}`);
  };
}
