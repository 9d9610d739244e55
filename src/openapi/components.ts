import type * as z from 'zod/mini';
import { endpoints } from '../endpoints.js';
import { AssigneeSchema } from '../schemas/conversation/assignee.js';
import { CrmActivitySchema, CrmNoteSchema } from '../schemas/conversation/crm-activity.js';
import { CrmAlertsSchema } from '../schemas/conversation/crm-alerts.js';
import { CsatSchema } from '../schemas/conversation/csat.js';
import { DetailedCostSchema } from '../schemas/conversation/detailed-cost.js';
import { ExternalFlowV4SessionSchema } from '../schemas/conversation/external-flow-session.js';
import { HandoffRecordSchema } from '../schemas/conversation/handoff-record.js';
import { InboundEngagementStateSchema } from '../schemas/conversation/inbound-engagement.js';
import { NodesInfoSchema } from '../schemas/conversation/nodes-info.js';
import { TokenUsageSchema } from '../schemas/conversation/token-usage.js';
import { VoiceprovCallSchema, VoiceSessionSchema } from '../schemas/conversation/voice.js';
import { ConversationSchema } from '../schemas/conversation.js';
import { DefaultToolSchema } from '../schemas/default-tool.js';
import { ErrorBodySchema, ErrorIssueSchema } from '../schemas/error-body.js';
import { NotificationsSettingsSchema } from '../schemas/notifications-settings.js';
import {
  OnboardingPreferencesSchema,
  OnboardingStateSchema,
  PersonalInfoSchema,
  SetupDataSchema,
} from '../schemas/onboarding-state.js';
import {
  CannedResponseSchema,
  HandoffSettingsSchema,
  InternalStateSchema,
  OrgClientSchema,
} from '../schemas/org-client.js';
import { TeamSchema, TeamSummarySchema } from '../schemas/team.js';
import { ToolSchema } from '../schemas/tool.js';
import { VariableFieldSchema, VariableInputSchema, VariableSchema } from '../schemas/variable.js';
import { AgentEventPayloadSchema } from '../webhooks/payloads/agent.js';
import { BugReportedPayloadSchema } from '../webhooks/payloads/bug.js';
import { ChatDelegatedPayloadSchema } from '../webhooks/payloads/chat.js';
import { ClientEventPayloadSchema } from '../webhooks/payloads/client.js';
import { ConversationUpdatedPayloadSchema } from '../webhooks/payloads/conversation.js';
import { FormSubmittedPayloadSchema } from '../webhooks/payloads/form.js';
import { LeadCapturedPayloadSchema } from '../webhooks/payloads/lead.js';
import { MessageReceivedPayloadSchema } from '../webhooks/payloads/message.js';
import { OrganisationEventPayloadSchema } from '../webhooks/payloads/organisation.js';
import { WebhookTestPayloadSchema } from '../webhooks/payloads/test.js';

/** The name of each schema in the OpenAPI document: that of its interface here. */
const named = {
  OrgClient: OrgClientSchema,
  HandoffSettings: HandoffSettingsSchema,
  InternalState: InternalStateSchema,
  CannedResponse: CannedResponseSchema,
  NotificationsSettings: NotificationsSettingsSchema,
  OnboardingState: OnboardingStateSchema,
  PersonalInfo: PersonalInfoSchema,
  OnboardingPreferences: OnboardingPreferencesSchema,
  SetupData: SetupDataSchema,
  Team: TeamSchema,
  TeamSummary: TeamSummarySchema,
  Variable: VariableSchema,
  VariableField: VariableFieldSchema,
  VariableInput: VariableInputSchema,
  Tool: ToolSchema,
  DefaultTool: DefaultToolSchema,
  Conversation: ConversationSchema,
  Assignee: AssigneeSchema,
  HandoffRecord: HandoffRecordSchema,
  CrmActivity: CrmActivitySchema,
  CrmNote: CrmNoteSchema,
  CrmAlerts: CrmAlertsSchema,
  TokenUsage: TokenUsageSchema,
  VoiceprovCall: VoiceprovCallSchema,
  VoiceSession: VoiceSessionSchema,
  DetailedCost: DetailedCostSchema,
  NodesInfo: NodesInfoSchema,
  Csat: CsatSchema,
  ExternalFlowV4Session: ExternalFlowV4SessionSchema,
  InboundEngagementState: InboundEngagementStateSchema,
  ErrorBody: ErrorBodySchema,
  ErrorIssue: ErrorIssueSchema,
  AgentEventPayload: AgentEventPayloadSchema,
  BugReportedPayload: BugReportedPayloadSchema,
  ChatDelegatedPayload: ChatDelegatedPayloadSchema,
  ClientEventPayload: ClientEventPayloadSchema,
  ConversationUpdatedPayload: ConversationUpdatedPayloadSchema,
  FormSubmittedPayload: FormSubmittedPayloadSchema,
  LeadCapturedPayload: LeadCapturedPayloadSchema,
  MessageReceivedPayload: MessageReceivedPayloadSchema,
  OrganisationEventPayload: OrganisationEventPayloadSchema,
  WebhookTestPayload: WebhookTestPayloadSchema,
};

/**
 * Every named schema: the records and payloads above, and the bodies of the operations, which the endpoints
 * themselves hold.
 */
export function components(): ReadonlyMap<string, z.core.$ZodType> {
  const all = new Map<string, z.core.$ZodType>(Object.entries(named));
  for (const [key, { body, response }] of Object.entries(endpoints)) {
    const name = `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
    if (body !== undefined) all.set(`${name}Request`, zodSchema(body));
    all.set(`${name}Response`, zodSchema(response.schema));
  }
  return all;
}

/** The documented endpoints are declared with Zod schemas, seen through the Standard Schema interface. */
function zodSchema(schema: object): z.core.$ZodType {
  return schema as z.core.$ZodType;
}
