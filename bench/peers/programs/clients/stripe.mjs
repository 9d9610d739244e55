import { Stripe } from 'stripe';

export function connect(baseUrl) {
  const { hostname, port } = new URL(baseUrl);
  const stripe = new Stripe('bench-token', { host: hostname, port, protocol: 'http', telemetry: false });
  return async () => {
    const { data } = await stripe.customers.retrieve('tool_1');
    return data;
  };
}
