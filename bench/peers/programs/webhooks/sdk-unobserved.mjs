import { createWebhookReceiver } from 'agent-platform-sdk';

export function prepare(body, handler) {
  const receiver = createWebhookReceiver({ secret: 'bench-secret', dedupe: false }).on(
    JSON.parse(body).type,
    handler,
  );
  return () => receiver.handle({ method: 'POST', body });
}
