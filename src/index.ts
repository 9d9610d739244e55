export type {
  Endpoint,
  EndpointDeclaration,
  EndpointInput,
  HttpMethod,
  PathParameter,
  ResponseShape,
} from './endpoint.js';
export { endpoint, withData, withoutData } from './endpoint.js';
export { endpoints } from './endpoints.js';
export * from './errors.js';
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
export {
  type Envelope,
  EnvelopeSchema,
  type MembersAndTeams,
  type MembersAndTeamsResponse,
  MembersAndTeamsResponseSchema,
  MembersAndTeamsSchema,
} from './schemas/envelope.js';
export { type ErrorBody, ErrorBodySchema, type ErrorIssue, ErrorIssueSchema } from './schemas/error-body.js';
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
export type { OpenList } from './schemas/open-list.js';
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
export {
  isWebhookEventType,
  webhookEvents,
} from './webhooks/events.js';
export type {
  WebhookEvent,
  WebhookEventCategory,
  WebhookEventDefinition,
  WebhookEventOf,
  WebhookEventPlatforms,
  WebhookEventType,
  WebhookPayloadOf,
} from './webhooks/events.js';
export { type AgentEventPayload, AgentEventPayloadSchema } from './webhooks/payloads/agent.js';
export { type BugReportedPayload, BugReportedPayloadSchema } from './webhooks/payloads/bug.js';
export { type ChatDelegatedPayload, ChatDelegatedPayloadSchema } from './webhooks/payloads/chat.js';
export { type ClientEventPayload, ClientEventPayloadSchema } from './webhooks/payloads/client.js';
export { type ConversationUpdatedPayload, ConversationUpdatedPayloadSchema } from './webhooks/payloads/conversation.js';
export { type FormSubmittedPayload, FormSubmittedPayloadSchema } from './webhooks/payloads/form.js';
export { type LeadCapturedPayload, LeadCapturedPayloadSchema } from './webhooks/payloads/lead.js';
export { type MessageReceivedPayload, MessageReceivedPayloadSchema } from './webhooks/payloads/message.js';
export { type OrganisationEventPayload, OrganisationEventPayloadSchema } from './webhooks/payloads/organisation.js';
export { type WebhookTestPayload, WebhookTestPayloadSchema } from './webhooks/payloads/test.js';
