import * as z from 'zod/mini';
import { anything, expectedText, flag, number, type OpenEnum, openEnum, text, texts } from '../leaf.js';
import { openObject } from '../object.js';

/** The session of a conversation at the external flow-builder platform (specification, 2.6, externalFlowV4Session). */
export interface ExternalFlowV4Session {
  /** Key of the session. Secret: `redact()` masks it. */
  sessionKey?: string | undefined;
  /** Id of the project. */
  projectId?: string | undefined;
  /** Alias of the environment. */
  environmentAlias?: string | undefined;
  /** Time of the last update: UNIX timestamp; unit not documented. */
  updatedAt?: number | undefined;
  /** The runtime that was resolved. The specification shows `legacy`. */
  resolvedRuntime?: OpenEnum<'legacy'> | undefined;
}

/** Schema of {@link ExternalFlowV4Session}. */
export const ExternalFlowV4SessionSchema = /* @__PURE__ */ openObject(() => ({
  sessionKey: text,
  projectId: text,
  environmentAlias: text,
  updatedAt: number,
  resolvedRuntime: z.optional(openEnum<'legacy'>()),
}));

/** The owner and the channel of a conversation (specification, 2.6: identity, channel, small-business contact). */
export interface ConversationIdentity {
  /** Conversation record id. An example composes it of the agent id and the conversation id. Expected, not required. */
  ID: string;
  /** User id. An example composes it of the agent id and the conversation id. */
  userID?: string | undefined;
  /** Id of the campaign. */
  campaignId?: string | undefined;
  /** Image of the end user. */
  userImage?: string | undefined;
  /** Social handle of the end user. */
  socialHandle?: string | undefined;
  /** Operating system of the end user. */
  userOs?: string | undefined;
  /** Browser of the end user. */
  userBrowser?: string | undefined;
  /** IP address of the end user. */
  ipAddress?: string | undefined;
  /** Time zone of the end user's browser. */
  browserTimezone?: string | undefined;
  /** Country code of the end user. */
  countryCode?: string | undefined;
  /** Platform of the end user. */
  userPlatform?: string | undefined;
  /** Id of the contact identity. */
  contactIdentityId?: string | undefined;
  /** Context from other channels; a string, not described further. */
  crossChannelContext?: string | undefined;
  /** The end user follows the business. */
  isFollowingBusiness?: boolean | undefined;
  /** The end user's social account is verified. */
  socialVerified?: boolean | undefined;
  /** The end user is blocked. */
  isBlocked?: boolean | undefined;
  /** The conversation is a test. */
  isTest?: boolean | undefined;
  /** Someone is typing; the specification does not say who. */
  isTyping?: boolean | undefined;
  /** Channel, such as web-chat or whatsapp; any JSON value. */
  origin?: unknown;
  /** Id of the WhatsApp phone number. */
  whatsappPhoneNumberId?: string | undefined;
  /** WhatsApp number of the business. */
  whatsappBusinessNumber?: string | undefined;
  /** WhatsApp phone number as it is displayed. */
  whatsappDisplayPhoneNumber?: string | undefined;
  /** Id of the WhatsApp business account. */
  whatsappBusinessAccountId?: string | undefined;
  /** Linked channels. */
  linkedChannels?: string[] | undefined;
  /** Session at the external flow-builder platform. */
  externalFlowV4Session?: ExternalFlowV4Session | undefined;
  /** The end user is a small-business contact. */
  smbContact?: boolean | undefined;
  /** Name of the small-business contact. */
  smbContactName?: string | undefined;
  /** Time the small-business contact was removed: UNIX timestamp; unit not documented. */
  smbContactRemovedAt?: number | undefined;
  /** Time the small-business contact was last seen: UNIX timestamp; unit not documented. */
  smbLastSeenAt?: number | undefined;
}

export const identityFields = () => ({
  ID: expectedText,
  userID: text,
  campaignId: text,
  userImage: text,
  socialHandle: text,
  userOs: text,
  userBrowser: text,
  ipAddress: text,
  browserTimezone: text,
  countryCode: text,
  userPlatform: text,
  contactIdentityId: text,
  crossChannelContext: text,
  isFollowingBusiness: flag,
  socialVerified: flag,
  isBlocked: flag,
  isTest: flag,
  isTyping: flag,
  origin: anything,
  whatsappPhoneNumberId: text,
  whatsappBusinessNumber: text,
  whatsappDisplayPhoneNumber: text,
  whatsappBusinessAccountId: text,
  linkedChannels: texts,
  externalFlowV4Session: z.optional(ExternalFlowV4SessionSchema),
  smbContact: flag,
  smbContactName: text,
  smbContactRemovedAt: number,
  smbLastSeenAt: number,
});
