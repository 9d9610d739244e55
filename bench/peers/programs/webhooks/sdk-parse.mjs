import { parseWebhook } from 'agent-platform-sdk';

export function prepare(body, handler) {
  return () => handler(parseWebhook(body, { secret: 'bench-secret' }));
}
