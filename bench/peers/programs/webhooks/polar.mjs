import { createHmac } from 'node:crypto';
import { validateEvent } from '@polar-sh/sdk/webhooks';

// 0.49 validates each event by a Zod schema of its own, so it is given one of its own, about as long as ours. From 1.0 on it validates none.
export function prepare(like, handler) {
  const secret = 'bench-secret-of-32-characters-xx';
  const body = eventOf(like.length);
  const sentAt = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`msg_1.${sentAt}.${body}`).digest('base64');
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': sentAt,
    'webhook-signature': `v1,${signature}`,
  };
  return () => handler(validateEvent(body, headers, secret));
}

const AT = '2026-01-01T00:00:00Z';

/** Of about the length: a small one as it comes, a larger one with as much `metadata` as that takes. */
function eventOf(length) {
  const event = length < 1_000 ? memberCreated : customerCreated;
  const { metadata } = event.data;
  const value =
    'When will my order arrive? It was to be here on Tuesday, and nobody has told me anything since.';
  for (let index = 0; metadata !== undefined && index < length / 112; index += 1) {
    metadata[`note_${index}`] = value;
  }
  return JSON.stringify(event);
}

const memberCreated = {
  type: 'member.created',
  timestamp: AT,
  data: {
    id: 'member_1',
    created_at: AT,
    modified_at: null,
    customer_id: 'customer_1',
    email: 'dana@example.com',
    name: 'Dana',
    external_id: null,
    role: 'member',
  },
};

const customerCreated = {
  type: 'customer.created',
  timestamp: AT,
  data: {
    id: 'customer_1',
    created_at: AT,
    modified_at: null,
    metadata: {},
    external_id: null,
    email: 'dana@example.com',
    email_verified: true,
    type: 'individual',
    name: 'Dana',
    billing_name: null,
    billing_address: null,
    tax_id: null,
    organization_id: 'organization_1',
    deleted_at: null,
    avatar_url: 'https://example.com/a.png',
  },
};
