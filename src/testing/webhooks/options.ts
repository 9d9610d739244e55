import type { Region } from '../../ground/regions.js';
import type { WebhookEventType, WebhookPayloadOf } from '../../webhooks/events.js';
import type { DeepPartial } from '../fixtures/fixtures.js';

/** Whose webhooks these are. */
export interface WebhookOwner {
  /** Default `'eu'`. */
  readonly region?: Region | undefined;
  /**
   * The workspace whose secret the payload carries; at an agent's own address, that of the agent's workspace instead.
   * Default: the first of the region.
   */
  readonly workspaceId?: string | undefined;
}

/** What a subscriber wants to hear of. */
export interface SubscribeOptions extends WebhookOwner {
  /** Only these types are sent (6.2); types that the document does not know are possible. Default: every one. */
  readonly events?: readonly (WebhookEventType | (string & {}))[] | undefined;
}

/** How an event is sent. */
export interface SendOptions extends WebhookOwner {
  /** How many copies are posted, all at once and all alike. Default 1. */
  readonly copies?: number | undefined;
  /** Puts a wrong secret into the payload. Default false. */
  readonly forged?: boolean | undefined;
}

/** How several events are sent. */
export interface SendAllOptions extends SendOptions {
  /** Sends them in another order, one that depends on this seed: order is not guaranteed (6.4). */
  readonly shuffle?: number | undefined;
}

/** One event of several to be sent. */
export type EventToSend = {
  readonly [Type in WebhookEventType]: {
    /** The event type. */
    readonly type: Type;
    /** Laid over the payload of the fixture. */
    readonly overrides?: DeepPartial<WebhookPayloadOf<Type>> | undefined;
  };
}[WebhookEventType];
