import * as z from 'zod/mini';

// Whether other channels than these will be sent is not shown (6.3): a new one is drift in `tolerant` mode.

const messageChannels = ['whatsapp', 'instagram', 'facebook', 'telegram', 'webchat'] as const;

/** A channel of `message_received`: Set A (specification, 6.3). */
export type MessageChannel = (typeof messageChannels)[number];

/** Schema of {@link MessageChannel}. */
export const MessageChannelSchema = /* @__PURE__ */ z.enum(messageChannels);

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
 * A channel of `lead_captured`, `form_submitted`, `chat_delegated` or `bug_reported`: Set B (specification, 6.3).
 * The specification lists both `web-chat` and `webchat`.
 */
export type EventChannel = (typeof eventChannels)[number];

/** Schema of {@link EventChannel}. */
export const EventChannelSchema = /* @__PURE__ */ z.enum(eventChannels);
