import * as z from 'zod/mini';

/** The channels of `message_received` (specification, 6.3, Set A). Whether others will be sent is not shown. */
const messageChannels = ['whatsapp', 'instagram', 'facebook', 'telegram', 'webchat'] as const;

/** A channel of `message_received` (specification, 6.3, Set A). A new one is drift in `tolerant` mode. */
export type MessageChannel = (typeof messageChannels)[number];

/** Schema of {@link MessageChannel}. */
export const MessageChannelSchema = /* @__PURE__ */ z.enum(messageChannels);

/**
 * The channels of `lead_captured`, `form_submitted`, `chat_delegated` and `bug_reported` (specification, 6.3, Set B).
 * Set B lists both `web-chat` and `webchat`. Whether others will be sent is not shown.
 */
const eventChannels = [
  'voice',
  'voiceprov',
  'web-chat',
  'whatsapp',
  'instagram',
  'telegram',
  'discord',
  'gb-chat',
  'messenger',
  'telephony',
  'webchat',
] as const;

/**
 * A channel of `lead_captured`, `form_submitted`, `chat_delegated` and `bug_reported` (specification, 6.3, Set B).
 * A new one is drift in `tolerant` mode.
 */
export type EventChannel = (typeof eventChannels)[number];

/** Schema of {@link EventChannel}. */
export const EventChannelSchema = /* @__PURE__ */ z.enum(eventChannels);
