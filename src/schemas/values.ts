import * as z from 'zod/v4/mini';
import { REGIONS } from '../utils/regions.js';
import { known, type OpenEnum, requiredText } from './fields.js';
import { owned } from './object.js';

// The lists of values that the specification gives: ones that it does not call examples, in which a new value
// is drift (a choice), and ones with examples (`OpenEnum`). Each name is that of the field.

const clientStatus = ['online', 'offline'] as const;

/** Availability of a client for real-time handoff: `status` (specification, 2.1). */
export type ClientStatus = (typeof clientStatus)[number];

/** Schema of {@link ClientStatus}. */
export const ClientStatusSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(clientStatus));

const notifyThrough = ['email', 'push', 'all', 'none'] as const;

/** How a client is notified: `notifyThrough` (specification, 2.1.1). */
export type NotifyThrough = (typeof notifyThrough)[number];

/** Schema of {@link NotifyThrough}. */
export const NotifyThroughSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(notifyThrough));

const notifyIf = ['all', 'requestsOnly', 'none'] as const;

/** What a client is notified about: `notifyIf` (specification, 2.1.1). */
export type NotifyIf = (typeof notifyIf)[number];

/** Schema of {@link NotifyIf}. */
export const NotifyIfSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(notifyIf));

const defaultToolKind = ['assignable_system', 'runtime_auto'] as const;

/** How an agent gets a default tool: `kind` (specification, 2.5). */
export type DefaultToolKind = (typeof defaultToolKind)[number];

/** Schema of {@link DefaultToolKind}. */
export const DefaultToolKindSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(defaultToolKind));

const defaultToolId = ['web-search', 'human-handoff', 'end-call'] as const;

/** Id of a default tool. The known ones are examples of `assignable_system` tools (specification, 2.5). */
export type DefaultToolId = OpenEnum<(typeof defaultToolId)[number]>;

/** Schema of {@link DefaultToolId}: any string. */
export const DefaultToolIdSchema = /* @__PURE__ */ known<(typeof defaultToolId)[number]>(requiredText);

const defaultToolName = ['KB-Search', 'Structured-Search', 'present', 'resolve_caller_timezone'] as const;

/** Name of a default tool. The known ones are those of `runtime_auto` tools (specification, 2.5). */
export type DefaultToolName = OpenEnum<(typeof defaultToolName)[number]>;

/** Schema of {@link DefaultToolName}: any string. */
export const DefaultToolNameSchema = /* @__PURE__ */ known<(typeof defaultToolName)[number]>(requiredText);

/** Schema of {@link Region}: `region` of an event (specification, 6.3). */
export const RegionSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(REGIONS));

const formType = ['ui_engine_form', 'ui_engine_input'] as const;

/** Type of a submitted form: `formType` of `form_submitted` (specification, 6.3). */
export type FormType = (typeof formType)[number];

/** Schema of {@link FormType}. */
export const FormTypeSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(formType));

const eventAgentPlatform = ['vg', 'vf'] as const;

/**
 * Platform of an agent: `agentPlatform` of agent events (specification, 6.3).
 *
 * Two platforms exist, the native one and an external flow-builder platform (1). The API specification
 * doesn't say which value means which.
 */
export type EventAgentPlatform = (typeof eventAgentPlatform)[number];

/** Schema of {@link EventAgentPlatform}. */
export const EventAgentPlatformSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(eventAgentPlatform));

const eventOperation = ['created', 'updated', 'deleted', 'captured', 'delegated', 'reported'] as const;

/** What an event reports: `operation` (specification, 6.3). Each type has some of the values, or no such field. */
export type EventOperation = (typeof eventOperation)[number];

/** Schema of {@link EventOperation}. */
export const EventOperationSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(eventOperation));

const messageChannel = ['whatsapp', 'instagram', 'facebook', 'telegram', 'webchat'] as const;

/** Channel of `message_received`: Set A (specification, 6.3). */
export type MessageChannel = (typeof messageChannel)[number];

/** Schema of {@link MessageChannel}. */
export const MessageChannelSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(messageChannel));

const eventChannel = [
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
 * Channel of `lead_captured`, `form_submitted`, `chat_delegated` and `bug_reported`: Set B (specification,
 * 6.3). It lists both `web-chat` and `webchat`.
 */
export type EventChannel = (typeof eventChannel)[number];

/** Schema of {@link EventChannel}. */
export const EventChannelSchema = /* @__PURE__ */ owned(/* @__PURE__ */ z.enum(eventChannel));

/**
 * The lists of values that the specification gives, for forms, columns and filters.
 *
 * `defaultToolId` and `defaultToolName` are examples: others are possible. The specification gives
 * the other lists without saying that there are more values, so they are closed (a choice); in `tolerant` mode, a
 * new value is passed on and reported as drift.
 *
 * @example
 * ```ts
 * import { documentedValues, type NotifyIf } from 'agent-platform-sdk';
 *
 * const choices: readonly NotifyIf[] = documentedValues.notifyIf; // ['all', 'requestsOnly', 'none']
 * ```
 */
export const documentedValues = {
  clientStatus,
  notifyThrough,
  notifyIf,
  defaultToolKind,
  defaultToolId,
  defaultToolName,
  region: REGIONS,
  formType,
  eventAgentPlatform,
  eventOperation,
  messageChannel,
  eventChannel,
} as const;
