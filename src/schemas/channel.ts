import * as z from 'zod/mini';

/** The channels of `message_received` (specification, 6.3, Set A). The set is closed. */
const messageChannels = ['whatsapp', 'instagram', 'facebook', 'telegram', 'webchat'] as const;

/** A channel of `message_received` (specification, 6.3, Set A). */
export type MessageChannel = (typeof messageChannels)[number];

/** Schema of {@link MessageChannel}. */
export const MessageChannelSchema = /* @__PURE__ */ z.enum(messageChannels);

/**
 * The channels of `lead_captured`, `form_submitted`, `chat_delegated` and `bug_reported` (specification, 6.3, Set B).
 * The set is closed; it holds both `web-chat` and `webchat`.
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

/** A channel of `lead_captured`, `form_submitted`, `chat_delegated` and `bug_reported` (specification, 6.3, Set B). */
export type EventChannel = (typeof eventChannels)[number];

/** Schema of {@link EventChannel}. */
export const EventChannelSchema = /* @__PURE__ */ z.enum(eventChannels);
