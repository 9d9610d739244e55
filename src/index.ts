/**
 * The client of the Conversational Agent Platform REST API (V3), and the receiver of its webhooks.
 *
 * Begin with {@link AgentPlatform} for calls, and with {@link createWebhookReceiver} for events.
 *
 * @packageDocumentation
 */

// `export *` is for modules that are public as a whole. `etc/index.api.md` holds every name.

export type { ApiPromise, ApiResponse } from './client/api-promise.js';
export type * from './client/hooks.js';
export type * from './client/options.js';
export type { Page, PagedList } from './client/pages.js';
export { AgentPlatform, type RawRequest } from './client/platform.js';
export type { ConversationsResource } from './client/resources/conversations.js';
export type { OrgsResource } from './client/resources/orgs.js';
export type { PhoneNumbersResource } from './client/resources/phone-numbers.js';
export type { ToolsResource } from './client/resources/tools.js';
export type { VariablesResource } from './client/resources/variables.js';
export type { WorkspacesResource } from './client/resources/workspaces.js';
export {
  type Endpoint,
  type EndpointInput,
  endpoint,
  type HttpMethod,
  type PagedEndpoint,
  type QueryValue,
} from './endpoints/endpoint.js';
export * from './endpoints/endpoints.js';
export * from './endpoints/response-shape.js';
export * from './errors/index.js';
export * from './schemas/conversation.js';
export * from './schemas/conversation-records.js';
export * from './schemas/default-tool.js';
export * from './schemas/envelope.js';
export type { OpenEnum } from './schemas/fields.js';
export * from './schemas/members-and-teams.js';
export * from './schemas/onboarding-state.js';
export * from './schemas/org-client.js';
export * from './schemas/release-number.js';
export * from './schemas/team.js';
export * from './schemas/tool.js';
export * from './schemas/values.js';
export * from './schemas/variable.js';
export type { Issue } from './utils/issues.js';
export { fieldsFirst, type LogFields, type Logger, type LogLevel } from './utils/logger.js';
export { redact } from './utils/redact.js';
export type { Region } from './utils/regions.js';
export type { StandardSchemaV1 } from './utils/standard-schema.js';
export type { Drift } from './validation/drift.js';
export type { ValidationMode } from './validation/validate.js';
export type * from './webhooks/context.js';
export {
  type ClaimResult,
  createMemoryDedupe,
  type DedupeStore,
  type MemoryDedupeOptions,
} from './webhooks/dedupe/store.js';
export type { WebhookEventOptions } from './webhooks/event-options.js';
export * from './webhooks/events/payloads.js';
export * from './webhooks/events/table.js';
export * from './webhooks/events/wire.js';
export {
  createWebhookHandlers,
  type WebhookHandlers,
  type WebhookHandlersOptions,
} from './webhooks/handlers.js';
export type { StoredWebhook, WebhookInbox } from './webhooks/inbox.js';
export type {
  AnyReceiverOptions,
  DedupeOptions,
  ReceiverOptions,
  StoringReceiverOptions,
  WebhookReceiverOptions,
} from './webhooks/options.js';
export type { DeliveryOutcome, RejectionReason, WebhookResponse } from './webhooks/outcomes.js';
export * from './webhooks/parse.js';
export type { InvalidWebhookEvent, ReceivedWebhook, UnknownWebhookEvent } from './webhooks/payload.js';
export {
  createWebhookReceiver,
  type HandlingReceiver,
  type WebhookReceiver,
  type WebhookRequest,
} from './webhooks/receiver.js';
export type { WebhookSecrets } from './webhooks/secrets/known.js';
export type { WebhookSecretLoader } from './webhooks/secrets/loader.js';
export type {
  SecretAnswer,
  WebhookSecretOptions,
  WebhookSecretVerifier,
} from './webhooks/secrets/resolve.js';
export { type DrainableServer, type DrainOptions, drain } from './webhooks/servers/drain.js';
export type { NodeRequest, NodeResponse } from './webhooks/servers/node.js';
