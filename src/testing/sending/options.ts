import * as z from 'zod/v4/mini';
import { dictionary, flag, requiredText, text, texts } from '../../schemas/fields.js';
import { REGIONS, type Region } from '../../utils/regions.js';
import { oneOf, wholeNumber } from '../../validation/check-options.js';
import type { WebhookEventType } from '../../webhooks/events/table.js';

/** The most duplicates of an event that one call posts. */
const MAX_COPIES = 1_000;

/** The owner of webhooks: a workspace in a region. */
export interface WebhookOwner {
  /** Default `'eu'`. */
  readonly region?: Region | undefined;
  /** The workspace whose secret the payload carries. Default: the first one of the region. */
  readonly workspaceId?: string | undefined;
}

/** Options of {@link FakeWebhooks.subscribe}. */
export interface SubscribeOptions extends WebhookOwner {
  /** The types to send (6.2), also ones that the specification does not list. Default: all. */
  readonly events?: readonly (WebhookEventType | (string & {}))[] | undefined;
}

/** Options of {@link FakeWebhooks.send}. */
export interface SendOptions extends WebhookOwner {
  /** The number of identical deliveries, posted at once: from 1 to 1000. Default 1. */
  readonly copies?: number | undefined;
  /** Puts a wrong secret into the payload. Default false. */
  readonly forged?: boolean | undefined;
}

const owner = {
  region: z.optional(/* @__PURE__ */ oneOf(REGIONS)),
  workspaceId: text,
};
/** The schema of an event to send. */
export const eventSchema = /* @__PURE__ */ z.strictObject({ type: requiredText, payload: dictionary });
/** The schema of the options of `subscribe`. */
export const subscribeSchema = /* @__PURE__ */ z.strictObject({ ...owner, events: texts });
/** The schema of the options of `send`. */
export const sendSchema = /* @__PURE__ */ z.strictObject({
  ...owner,
  copies: z.optional(/* @__PURE__ */ wholeNumber(1, MAX_COPIES)),
  forged: flag,
});
