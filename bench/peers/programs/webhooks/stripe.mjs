import { Stripe } from 'stripe';

export function prepare(payload, handler) {
  const secret = 'bench-secret';
  const { webhooks } = new Stripe('bench-token');
  const header = webhooks.generateTestHeaderString({ payload, secret });
  return () => handler(webhooks.constructEvent(payload, header, secret));
}
