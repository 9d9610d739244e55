import * as z from 'zod/mini';
import { flag, number, requiredText, text, texts } from '../../schemas/leaf.js';
import { closedObject } from '../../schemas/object.js';
import { isWebhookEventType } from '../../webhooks/events.js';
import { isSameSubscription } from '../fake-webhooks.js';
import { action, ControlError, checkTarget, done } from './action.js';

/** The most addresses that get events once one is added over HTTP. */
const MAX_SUBSCRIPTIONS = 100;

const region = z.optional(z.enum(['eu', 'na']));

/** Actions on subscriptions and deliveries, and to send events. */
export const webhookActions = [
  action({
    method: 'GET',
    path: '/subscriptions',
    run: ({ fake }) => ({ subscriptions: fake.webhooks.subscriptions }),
  }),
  action({
    method: 'POST',
    path: '/subscriptions',
    body: closedObject(() => ({
      url: requiredText,
      events: texts,
      region,
      workspaceId: text,
      untilReset: flag,
    })),
    run: ({ fake: { webhooks, state }, body: { url, ...options }, rules }) => {
      const address = checkTarget('url', url, rules);
      const { region = 'eu', workspaceId = firstKey(state[region].workspaces) } = options;
      const before = webhooks.subscriptions.find(
        // Without a workspace there is nothing to subscribe to, which `subscribe` tells.
        (each) => workspaceId !== undefined && isSameSubscription(each, { address, region, workspaceId }),
      );
      if (before === undefined && webhooks.subscriptions.length >= MAX_SUBSCRIPTIONS) {
        throw new ControlError(`There are ${MAX_SUBSCRIPTIONS} subscriptions, and no more can be added.`);
      }
      // One that the program has subscribed itself stays.
      webhooks.subscribe(address, { untilReset: before?.untilReset ?? true, ...options });
      return { subscription: webhooks.subscriptions.at(-1) };
    },
  }),
  action({
    method: 'DELETE',
    path: '/subscriptions/{id}',
    run: ({ fake, path: { id = '' } }) => {
      if (fake.webhooks.unsubscribe(id)) return done(`Ended "${id}".`);
      throw new ControlError(`There is no subscription with the id "${id}".`, 404);
    },
  }),
  action({
    method: 'POST',
    path: '/events',
    body: closedObject(() => ({
      type: requiredText,
      overrides: z.optional(z.record(z.string(), z.unknown())),
      region,
      workspaceId: text,
      copies: number,
      forged: flag,
    })),
    run: async ({ fake: { webhooks }, body: { type, overrides = {}, ...options } }) => {
      // Overrides of wrong types are let through: receivers meet those too.
      const deliveries = isWebhookEventType(type)
        ? await webhooks.send(type, overrides, options)
        : await webhooks.sendUnknown(type, overrides, options);
      return { deliveries };
    },
  }),
  action({
    method: 'GET',
    path: '/deliveries',
    query: closedObject(() => ({
      type: text,
      outcome: z.optional(z.enum(['success', 'refused', 'timeout', 'failed'])),
      address: text,
    })),
    run: ({ fake, query: { type, outcome, address } }) => ({
      deliveries: fake.webhooks.deliveries.filter(
        (each) =>
          (type ?? each.type) === each.type &&
          (outcome ?? each.outcome) === each.outcome &&
          (address ?? each.address) === each.address,
      ),
    }),
  }),
  action({
    method: 'DELETE',
    path: '/deliveries',
    run: ({ fake }) => {
      fake.webhooks.clear();
      return done('No delivery is left.');
    },
  }),
  action({
    method: 'POST',
    path: '/deliveries/{id}/resend',
    run: async ({ fake, path: { id = '' } }) => ({ delivery: await fake.webhooks.resend(id) }),
  }),
];

function firstKey(records: ReadonlyMap<string, unknown>): string | undefined {
  return records.keys().next().value;
}
