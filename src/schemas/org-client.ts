import * as z from 'zod/v4/mini';
import { anythings, flag, known, number, type OpenEnum, requiredText, text, texts } from './fields.js';
import { closedObject, openObject } from './object.js';
import { type OnboardingState, OnboardingStateSchema } from './onboarding-state.js';
import { type TeamSummary, TeamSummarySchema } from './team.js';
import * as values from './values.js';

// The doc comments are the words of openapi.json, up to their first tag.

/**
 * Notification settings of a client (specification, 2.1.1; closed).
 *
 * By default a client receives only email notifications for requests.
 */
export interface NotificationsSettings {
  /** How the client is notified. */
  notifyThrough: values.NotifyThrough;
  /** What the client is notified about: everything, requests only or nothing. */
  notifyIf: values.NotifyIf;
  /** Whether an email is sent for each lead captured from calls. */
  emailNotifyOnNewLead?: boolean | undefined;
}

/** Schema of {@link NotificationsSettings}. */
export const NotificationsSettingsSchema = /* @__PURE__ */ closedObject(() => ({
  notifyThrough: values.NotifyThroughSchema,
  notifyIf: values.NotifyIfSchema,
  emailNotifyOnNewLead: flag,
}));

/** Handoff settings of a client (specification, 2.1, `handoff`). */
export interface HandoffSettings {
  /** Maximum number of assignees for handoff; no value is fixed (8). */
  maxAssignees?: number | undefined;
}

/** Schema of {@link HandoffSettings}. */
export const HandoffSettingsSchema = /* @__PURE__ */ openObject(() => ({ maxAssignees: number }));

/** Internal state of a client (specification, 2.1, `internal`). */
export interface InternalState {
  /** Whether the client has changed the password. */
  hasChangedPassword?: boolean | undefined;
}

/** Schema of {@link InternalState}. */
export const InternalStateSchema = /* @__PURE__ */ openObject(() => ({ hasChangedPassword: flag }));

/** A canned response for the chats tab (specification, 2.1, `cannedResponses`). */
export interface CannedResponse {
  /** Key of the response. */
  key?: string | undefined;
  /** Content of the response. */
  content?: string | undefined;
}

/** Schema of {@link CannedResponse}. */
export const CannedResponseSchema = /* @__PURE__ */ openObject(() => ({ key: text, content: text }));

/** A dashboard user of an organisation: the specification's *Client* (2.1; closed). */
export interface OrgClient {
  /**
   * Client id.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  ID: string;
  /** Identity-provider user id of the client. */
  idpUid?: string | undefined;
  /** Agency id. */
  agencyId?: string | undefined;
  /** User id. */
  userId?: string | undefined;
  /** Owner id of the workspace that owns the client. */
  ownerID?: string | undefined;
  /** Client name. */
  name?: string | undefined;
  /** Sign-in email. A whitelabel dashboard login can be pre-filled through the query parameter `email`. */
  email?: string | undefined;
  /** Photo URL shown on the client dashboard. */
  squarePhotoURL?: string | undefined;
  /** Used by the system only: any JSON values. */
  widgets?: unknown[] | undefined;
  /** Ids of the agents assigned to the client. */
  widgetIDs?: string[] | undefined;
  /**
   * Username for the dashboard.
   *
   * @deprecated Unused.
   */
  dashboardUsername?: string | undefined;
  /**
   * Sign-in password used with the email on the whitelabel dashboard. The query parameter `password`
   * pre-fills the login.
   *
   * @remarks `redact()` masks it.
   */
  dashboardPassword?: string | undefined;
  /** UNIX timestamp of the last change to the client. The API specification doesn't say in which unit. */
  ts?: number | undefined;
  /** Tab hrefs the client may open. */
  canAccess?:
    | OpenEnum<'/home' | '/convos' | '/leads' | '/kb' | '/analytics' | '/theme' | '/settings' | '/prompt'>[]
    | undefined;
  /** Channels the client may use on the channels page. `['all']` or omitted means every channel. */
  allowedChannels?: OpenEnum<'all'>[] | undefined;
  /**
   * Integrations the client may use on the integrations page. `['all']` or omitted means all integrations.
   */
  allowedIntegrations?: OpenEnum<'all'>[] | undefined;
  /** Order of the client tabs. */
  clientTabOrder?:
    | OpenEnum<'home' | 'convos' | 'leads' | 'kb' | 'analytics' | 'theme' | 'settings' | 'prompt'>[]
    | undefined;
  /**
   * Code used to sign in to the dashboard.
   *
   * @remarks `redact()` masks it.
   */
  magicCode?: string | undefined;
  /** Sort index of the client. */
  index?: number | undefined;
  /** Org admin: may create other users in the org and has more dashboard access. */
  isAdmin?: boolean | undefined;
  /**
   * Secret used to sign in to the dashboard.
   *
   * @remarks `redact()` masks it.
   */
  usedSecret?: string | undefined;
  /** Organisation the client belongs to. Must be defined when a client is created. */
  orgId?: string | undefined;
  /**
   * Type of the client.
   *
   * @deprecated The specification names no successor.
   */
  type?: 'client' | 'org' | undefined;
  /** Same meaning as `isAdmin`. */
  isOrgAdmin?: boolean | undefined;
  /** Whether the client may delegate chats to other users of the org. */
  canDelegateChats?: boolean | undefined;
  /** Availability for real-time handoff, shown on the dashboard and in the web widget. */
  status?: values.ClientStatus | undefined;
  /** Tags used for quick tagging of chats. */
  predefinedTags?: string[] | undefined;
  /**
   * Push-notification token used for browser notifications.
   *
   * @remarks `redact()` masks it.
   */
  FB_PUSH_TOKEN?: string | undefined;
  /** Notification settings. */
  notificationsSettings?: NotificationsSettings | undefined;
  /** Handoff settings. */
  handoff?: HandoffSettings | undefined;
  /**
   * Timestamp of the last email sent, used to limit email volume. The API specification doesn't say in which
   * unit.
   */
  lastEmailSentTS?: number | undefined;
  /** 2-letter language code. The whole whitelabel dashboard is translated to it. */
  preferredLanguage?: string | undefined;
  /** State that is used internally. */
  internal?: InternalState | undefined;
  /** Timestamp of the last invitation. The API specification doesn't say in which unit. */
  lastInvitationTs?: number | undefined;
  /** Canned responses for the chats tab. */
  cannedResponses?: CannedResponse[] | undefined;
  /** Customer id at the payment provider. */
  paymentCustomerId?: string | undefined;
  /** Signup source of the onboarding. */
  signupSource?: string | undefined;
  /** Whether the client may create agents. */
  allowCreateAgents?: boolean | undefined;
  /** Whether the advanced settings are hidden from the client. */
  hideAdvancedSettings?: boolean | undefined;
  /** State of the client's onboarding. */
  onboardingState?: OnboardingState | undefined;
  /** Whether the client was created through signup, which triggers onboarding. */
  isNewSignup?: boolean | undefined;
  /** Teams the client belongs to: those whose `memberIds` list the client. */
  teams?: TeamSummary[] | undefined;
}

/** Schema of {@link OrgClient}. */
export const OrgClientSchema = /* @__PURE__ */ closedObject(() => ({
  ID: requiredText,
  idpUid: text,
  agencyId: text,
  userId: text,
  ownerID: text,
  name: text,
  email: text,
  squarePhotoURL: text,
  widgets: anythings,
  widgetIDs: texts,
  dashboardUsername: text,
  dashboardPassword: text,
  ts: number,
  canAccess: known<
    '/home' | '/convos' | '/leads' | '/kb' | '/analytics' | '/theme' | '/settings' | '/prompt'
  >(texts),
  allowedChannels: known<'all'>(texts),
  allowedIntegrations: known<'all'>(texts),
  clientTabOrder: known<'home' | 'convos' | 'leads' | 'kb' | 'analytics' | 'theme' | 'settings' | 'prompt'>(
    texts,
  ),
  magicCode: text,
  index: number,
  isAdmin: flag,
  usedSecret: text,
  orgId: text,
  type: z.optional(z.enum(['client', 'org'])),
  isOrgAdmin: flag,
  canDelegateChats: flag,
  status: z.optional(values.ClientStatusSchema),
  predefinedTags: texts,
  FB_PUSH_TOKEN: text,
  notificationsSettings: z.optional(NotificationsSettingsSchema),
  handoff: z.optional(HandoffSettingsSchema),
  lastEmailSentTS: number,
  preferredLanguage: text,
  internal: z.optional(InternalStateSchema),
  lastInvitationTs: number,
  cannedResponses: z.optional(z.array(CannedResponseSchema)),
  paymentCustomerId: text,
  signupSource: text,
  allowCreateAgents: flag,
  hideAdvancedSettings: flag,
  onboardingState: z.optional(OnboardingStateSchema),
  isNewSignup: flag,
  teams: z.optional(z.array(TeamSummarySchema)),
}));
