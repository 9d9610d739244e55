import { type WebhookEventPlatforms, type WebhookEventType, webhookEvents } from '../../src/index.js';
import { type JsonObject, recordName } from './components.js';
import type { Words } from './words.js';

/** The group of all deliveries. */
export const WEBHOOKS_TAG = {
  name: 'Webhooks',
  description:
    'Events that the service posts to a subscriber endpoint (6). Only the events a receiver is subscribed to ' +
    'are sent (6.2). Subscriptions are changed through the dashboard or an undocumented API (6.4).',
};

const senders: Readonly<Record<WebhookEventPlatforms, string>> = {
  both: 'Supported by both agent platforms.',
  native: 'Supported by the native agent platform only.',
  'not shown': "The API specification doesn't say which agent platforms support it.",
};

/** The `webhooks` of the document, from the table of events (6.2). */
export function webhooks(words: Words): Record<string, JsonObject> {
  const types = Object.keys(webhookEvents) as WebhookEventType[];
  return Object.fromEntries(types.map((type) => [type, { post: delivery(type, words) }]));
}

function delivery(type: WebhookEventType, words: Words): JsonObject {
  const { category, platforms, payload } = webhookEvents[type];
  const { 'x-undocumented': undocumented } = words.record('WebhookEvents', type);
  return {
    operationId: `on_${type}`,
    tags: ['Webhooks'],
    summary: type,
    description: `Category: ${category}. ${senders[platforms]} There is no automatic retry (6.4).`,
    ...(undocumented && { 'x-undocumented': undocumented }),
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: envelope(type, recordName(payload), words) } },
    },
    responses: {
      '200': { description: 'Success, within 60 seconds. An empty body is acceptable.' },
      default: { description: 'A failure. There is no automatic retry.' },
    },
  };
}

/** The envelope (6.1), whose payload has the workspace secret beside the fields of its event. */
function envelope(type: string, payload = 'a payload that is not exported', words: Words): JsonObject {
  return {
    type: 'object',
    properties: {
      type: { ...words.record('WebhookEnvelope', 'type'), type: 'string', const: type },
      payload: {
        ...words.record('WebhookEnvelope', 'payload'),
        allOf: [
          { $ref: `#/components/schemas/${payload}` },
          {
            type: 'object',
            properties: {
              workspaceSecret: {
                type: 'string',
                description: 'Workspace secret, for the receiver to verify.',
              },
            },
            required: ['workspaceSecret'],
          },
        ],
      },
    },
    required: ['type', 'payload'],
  };
}
