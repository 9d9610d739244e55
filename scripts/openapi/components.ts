import type * as z from 'zod/mini';
import { endpoints } from '../../src/endpoints/endpoints.js';
import { AssigneeSchema } from '../../src/schemas/conversation/assignee.js';
import { CrmActivitySchema, CrmNoteSchema } from '../../src/schemas/conversation/crm-activity.js';
import { CrmAlertsSchema } from '../../src/schemas/conversation/crm-alerts.js';
import { CsatSchema } from '../../src/schemas/conversation/csat.js';
import { DetailedCostSchema } from '../../src/schemas/conversation/detailed-cost.js';
import { ExternalFlowV4SessionSchema } from '../../src/schemas/conversation/external-flow-session.js';
import { HandoffRecordSchema } from '../../src/schemas/conversation/handoff-record.js';
import { InboundEngagementStateSchema } from '../../src/schemas/conversation/inbound-engagement.js';
import { NodesInfoSchema } from '../../src/schemas/conversation/nodes-info.js';
import { TokenUsageSchema } from '../../src/schemas/conversation/token-usage.js';
import { VoiceprovCallSchema, VoiceSessionSchema } from '../../src/schemas/conversation/voice.js';
import { ConversationSchema } from '../../src/schemas/conversation.js';
import { DefaultToolSchema } from '../../src/schemas/default-tool.js';
import { ErrorBodySchema, ErrorIssueSchema } from '../../src/schemas/error-body.js';
import { NotificationsSettingsSchema } from '../../src/schemas/notifications-settings.js';
import {
  OnboardingPreferencesSchema,
  OnboardingStateSchema,
  PersonalInfoSchema,
  SetupDataSchema,
} from '../../src/schemas/onboarding-state.js';
import {
  CannedResponseSchema,
  HandoffSettingsSchema,
  InternalStateSchema,
  OrgClientSchema,
} from '../../src/schemas/org-client.js';
import { TeamSchema, TeamSummarySchema } from '../../src/schemas/team.js';
import { ToolSchema } from '../../src/schemas/tool.js';
import { VariableFieldSchema, VariableInputSchema, VariableSchema } from '../../src/schemas/variable.js';
import {
  AgentEventPayloadSchema,
  BugReportedPayloadSchema,
  ChatDelegatedPayloadSchema,
  ClientEventPayloadSchema,
  ConversationUpdatedPayloadSchema,
  FormSubmittedPayloadSchema,
  LeadCapturedPayloadSchema,
  MessageReceivedPayloadSchema,
  OrganisationEventPayloadSchema,
  WebhookTestPayloadSchema,
} from '../../src/webhooks/events.js';

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
