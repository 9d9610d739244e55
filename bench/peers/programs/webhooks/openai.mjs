import { createHmac } from 'node:crypto';
import OpenAI from 'openai';

export function prepare(body, handler) {
  const key = Buffer.from('bench-secret-of-32-characters-xx');
  const client = new OpenAI({ apiKey: 'bench-token', webhookSecret: `whsec_${key.toString('base64')}` });
  const sentAt = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`msg_1.${sentAt}.${body}`).digest('base64');
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': sentAt,
    'webhook-signature': `v1,${signature}`,
  };
  return async () => handler(await client.webhooks.unwrap(body, headers));
}
