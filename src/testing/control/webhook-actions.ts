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
    name: 'webhooks.subscriptions',
    summary: 'Who gets events',
    answer: ['subscriptions', 'The subscriptions, in the order in which they were added.'],
    run: ({ fake }) => ({ subscriptions: fake.webhooks.subscriptions }),
  }),
  action({
    method: 'POST',
    path: '/subscriptions',
    name: 'webhooks.subscribe',
    summary: 'Subscribes an address',
    description:
      'An address is subscribed once for each workspace: to add it again replaces its events. It ends with the next reset, unless `untilReset` is false, or it was there before and stays, as by --webhook.',
    body: closedObject(() => ({
      url: requiredText,
      events: texts,
      region,
      workspaceId: text,
      untilReset: flag,
    })),
    example: { url: 'http://127.0.0.1:3000/webhooks', events: ['lead_captured'] },
    answer: ['subscription', 'The subscription.'],
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
    name: 'webhooks.unsubscribe',
    summary: 'Ends a subscription',
    run: ({ fake, path: { id = '' } }) => {
      if (fake.webhooks.unsubscribe(id)) return done(`Ended "${id}".`);
      throw new ControlError(`There is no subscription with the id "${id}".`, 404);
    },
  }),
  action({
    method: 'POST',
    path: '/events',
    name: 'webhooks.send',
    summary: 'Sends an event',
    description:
      'The fixture of the type, with `overrides` laid over its payload; of a type that the specification does not know, the overrides alone. Answers when all deliveries have ended.',
    body: closedObject(() => ({
      type: requiredText,
      overrides: z.optional(z.record(z.string(), z.unknown())),
      region,
      workspaceId: text,
      copies: number,
      forged: flag,
    })),
    example: { type: 'lead_captured', overrides: { leadName: 'Dana' } },
    answer: ['deliveries', 'The outcome at each subscriber; none where nobody subscribed.'],
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
    name: 'webhooks.deliveries',
    summary: 'What was delivered',
    query: closedObject(() => ({
      type: text,
      outcome: z.optional(z.enum(['success', 'refused', 'timeout', 'failed'])),
      address: text,
    })),
    answer: ['deliveries', 'The deliveries that fit every filter, in the order in which they ended.'],
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
    name: 'webhooks.clear',
    summary: 'Forgets every delivery',
    run: ({ fake }) => {
      fake.webhooks.clear();
      return done('No delivery is left.');
    },
  }),
  action({
    method: 'POST',
    path: '/deliveries/{id}/resend',
    name: 'webhooks.resend',
    summary: 'Delivers again what was delivered before',
    description:
      'The same payload, to the same address. The service never does; a receiver must recognise a duplicate.',
    answer: ['delivery', 'The outcome.'],
    run: async ({ fake, path: { id = '' } }) => ({ delivery: await fake.webhooks.resend(id) }),
  }),
];

function firstKey(records: ReadonlyMap<string, unknown>): string | undefined {
  return records.keys().next().value;
}
