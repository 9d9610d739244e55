/**
 * The client of the Conversational Agent Platform REST API (V3), and the receiver of its webhooks.
 *
 * Begin with {@link AgentPlatform} for calls, and with {@link createWebhookReceiver} for events.
 *
 * @packageDocumentation
 */

export { ApiPromise, type ApiResponse } from './client/api-promise.js';
export type {
  HookCall,
  Hooks,
  RequestHookContext,
  ResponseHookContext,
  RetryHookContext,
} from './client/hooks.js';
export type {
  AgentPlatformOptions,
  CallOptions,
  FetchFunction,
  RequestOptions,
} from './client/options.js';
export { AgentPlatform } from './client/platform.js';
export { ConversationsResource } from './client/resources/conversations.js';
export { OrgsResource } from './client/resources/orgs.js';
export { PhoneNumbersResource } from './client/resources/phone-numbers.js';
export { ToolsResource } from './client/resources/tools.js';
export { VariablesResource } from './client/resources/variables.js';
export { WorkspacesResource } from './client/resources/workspaces.js';
export type {
  Endpoint,
  EndpointDeclaration,
  EndpointInput,
  HttpMethod,
  PathParameter,
  QueryValue,
  ReservedValues,
} from './endpoints/endpoint.js';
export { endpoint } from './endpoints/endpoint.js';
export { endpoints } from './endpoints/endpoints.js';
export { type ResponseShape, withData, withoutData } from './endpoints/response-shape.js';
export {
  AbortError,
  AgentPlatformError,
  type AnsweredErrorOptions,
  ApiError,
  type ApiErrorIssue,
  type ApiErrorOptions,
  AuthenticationError,
  BadRequestError,
  type CallContext,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  type ErrorType,
  HookError,
  NotFoundError,
  OperationFailedError,
  PermissionDeniedError,
  RateLimitError,
  RequestValidationError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
  UnknownEventError,
  UnprocessableEntityError,
  WebhookError,
  WebhookPayloadError,
  WebhookVerificationError,
} from './errors/index.js';
export type { Issue } from './ground/issues.js';
export type { Logger, LogLevel } from './ground/logger.js';
export { redact } from './ground/redact.js';
export type { Region } from './ground/regions.js';
export type {
  SchemaInput,
  SchemaOutput,
  StandardIssue,
  StandardResult,
  StandardSchemaV1,
} from './ground/standard-schema.js';
export { VERSION } from './ground/version.js';
export {
  type EventChannel,
  EventChannelSchema,
  eventChannels,
  type MessageChannel,
  MessageChannelSchema,
  messageChannels,
} from './schemas/channel.js';
export type { ConversationActivity } from './schemas/conversation/activity.js';
export { type Assignee, AssigneeSchema } from './schemas/conversation/assignee.js';
export type { ConversationContact } from './schemas/conversation/contact.js';
export {
  type CrmActivity,
  CrmActivitySchema,
  type CrmNote,
  CrmNoteSchema,
} from './schemas/conversation/crm-activity.js';
export { type CrmAlerts, CrmAlertsSchema } from './schemas/conversation/crm-alerts.js';
export { type Csat, CsatSchema } from './schemas/conversation/csat.js';
export { type DetailedCost, DetailedCostSchema } from './schemas/conversation/detailed-cost.js';
export {
  type ExternalFlowV4Session,
  ExternalFlowV4SessionSchema,
} from './schemas/conversation/external-flow-session.js';
export type { ConversationHandling } from './schemas/conversation/handling.js';
export { type HandoffRecord, HandoffRecordSchema } from './schemas/conversation/handoff-record.js';
export type { ConversationIdentity } from './schemas/conversation/identity.js';
export {
  type InboundEngagementState,
  InboundEngagementStateSchema,
} from './schemas/conversation/inbound-engagement.js';
export { type NodesInfo, NodesInfoSchema } from './schemas/conversation/nodes-info.js';
export type { ConversationScoring } from './schemas/conversation/scoring.js';
export { type TokenUsage, TokenUsageSchema } from './schemas/conversation/token-usage.js';
export {
  type VoiceprovCall,
  VoiceprovCallSchema,
  type VoiceSession,
  VoiceSessionSchema,
} from './schemas/conversation/voice.js';
export { type Conversation, ConversationSchema } from './schemas/conversation.js';
export { type DefaultTool, DefaultToolSchema } from './schemas/default-tool.js';
export { type Envelope, EnvelopeSchema } from './schemas/envelope.js';
export { type ErrorBody, ErrorBodySchema, type ErrorIssue, ErrorIssueSchema } from './schemas/error-body.js';
export {
  type MembersAndTeams,
  type MembersAndTeamsResponse,
  MembersAndTeamsResponseSchema,
  MembersAndTeamsSchema,
} from './schemas/members-and-teams.js';
export { type NotificationsSettings, NotificationsSettingsSchema } from './schemas/notifications-settings.js';
export {
  type OnboardingPreferences,
  OnboardingPreferencesSchema,
  type OnboardingState,
  OnboardingStateSchema,
  type PersonalInfo,
  PersonalInfoSchema,
  type SetupData,
  SetupDataSchema,
} from './schemas/onboarding-state.js';
export type { OpenEnum } from './schemas/open-enum.js';
export {
  type CannedResponse,
  CannedResponseSchema,
  type HandoffSettings,
  HandoffSettingsSchema,
  type InternalState,
  InternalStateSchema,
  type OrgClient,
  OrgClientSchema,
} from './schemas/org-client.js';
export {
  type ReleaseNumberInput,
  ReleaseNumberInputSchema,
  type ReleaseNumberResult,
  ReleaseNumberResultSchema,
} from './schemas/release-number.js';
export { type Team, TeamSchema, type TeamSummary, TeamSummarySchema } from './schemas/team.js';
export { type Tool, ToolSchema } from './schemas/tool.js';
export {
  type CreateVariableBody,
  CreateVariableBodySchema,
  type Variable,
  type VariableField,
  VariableFieldSchema,
  type VariableInput,
  VariableInputSchema,
  VariableSchema,
  type VariableSettings,
} from './schemas/variable.js';
export type { Drift } from './validation/drift.js';
export type { TokenSource } from './validation/option-checks.js';
export type { ValidationMode } from './validation/validate.js';
export type { NodeRequest, NodeResponse } from './webhooks/adapters.js';
export type { RejectionReason, WebhookResponse } from './webhooks/answers.js';
export type { Clock } from './webhooks/clock.js';
export type { ClaimResult, DedupeStore } from './webhooks/dedupe-store.js';
export type { InvalidWebhookEvent, ReceivedWebhook, UnknownWebhookEvent } from './webhooks/delivery.js';
export * from './webhooks/events.js';
export type {
  WebhookContext,
  WebhookFailure,
  WebhookHandler,
  WebhookRejection,
} from './webhooks/handlers.js';
export type { StoredWebhook, WebhookInbox } from './webhooks/inbox.js';
export { createMemoryDedupe, type MemoryDedupeOptions } from './webhooks/memory-dedupe.js';
export {
  type ParseWebhookOptions,
  type ParseWebhookRequestOptions,
  parseWebhook,
  parseWebhookRequest,
} from './webhooks/parse.js';
export { createWebhookReceiver, type WebhookReceiver, type WebhookRequest } from './webhooks/receiver.js';
export type { DedupeOptions, WebhookReceiverOptions } from './webhooks/receiver-options.js';
export type { SecretAnswer, WebhookSecretLookup, WebhookSecrets } from './webhooks/secrets.js';
