import { Webhook } from 'svix';

export function prepare(body, handler) {
  const webhook = new Webhook(`whsec_${Buffer.from('bench-secret-of-32-characters-xx').toString('base64')}`);
  const sentAt = new Date();
  const headers = {
    'svix-id': 'msg_1',
    'svix-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'svix-signature': webhook.sign('msg_1', sentAt, body),
  };
  return () => handler(webhook.verify(body, headers));
}
