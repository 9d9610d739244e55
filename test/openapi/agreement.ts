/**
 * The types that a generator nobody here wrote makes of openapi.json, held equal to this package's own. `document.test.ts`
 * makes `generated.ts` and compiles this file with it, both in memory.
 */
import type * as sdk from 'agent-platform-sdk';
import { expectTypeOf } from 'vitest';
import type { components, operations, webhooks } from './generated.js';

type Generated = components['schemas'];

/**
 * Reduces a type to what JSON can tell: `undefined` is an absent field, and an open list (`'new' | (string & {})`) a string.
 * Each field becomes a pair of its presence and its type, so that a difference at any depth shows.
 */
type Plain<Value> = unknown extends Value
  ? 'anything'
  : [string] extends [Value]
    ? string
    : Value extends readonly (infer Element)[]
      ? readonly Plain<Element>[]
      : Value extends object
        ? string extends keyof Value
          ? 'dictionary'
          : {
              [Key in keyof Value]-?: [
                undefined extends Value[Key]
                  ? 'optional'
                  : Key extends ExpectedOf<Value>
                    ? 'optional'
                    : 'required',
                Field<Value[Key]>,
              ];
            }
        : Value;
type Field<Value> = unknown extends Value ? 'anything' : Plain<Exclude<Value, undefined>>;

/** The fields that are typed as present, and that the OpenAPI document does not require: they are only expected. */
type ExpectedOf<Value> = Value extends sdk.Variable
  ? 'id' | 'key' | 'type' | 'agentId' | 'userId'
  : Value extends sdk.ReleaseNumberResult
    ? 'errors'
    : Value extends sdk.OrgClient | sdk.Team | sdk.TeamSummary | sdk.Conversation
      ? 'ID'
      : Value extends sdk.Tool
        ? 'id'
        : never;

type ReturnedOnly = 'id' | 'agentId' | 'userId';
/** The generator has no type for a field that must not be sent (`not: {}`): it takes anything for it. */
type VariableInput = Omit<sdk.VariableInput, ReturnedOnly> & { [Field in ReturnedOnly]?: unknown };

/** Records and payloads by their names. */
interface Ours {
  OrgClient: sdk.OrgClient;
  NotificationsSettings: sdk.NotificationsSettings;
  OnboardingState: sdk.OnboardingState;
  Team: sdk.Team;
  TeamSummary: sdk.TeamSummary;
  Variable: sdk.Variable;
  VariableField: sdk.VariableField;
  VariableInput: VariableInput;
  Tool: sdk.Tool;
  DefaultTool: sdk.DefaultTool;
  Conversation: sdk.Conversation;
  Assignee: sdk.Assignee;
  HandoffRecord: sdk.HandoffRecord;
  CrmActivity: sdk.CrmActivity;
  TokenUsage: sdk.TokenUsage;
  ErrorBody: sdk.ErrorBody;
  ListMembersAndTeamsResponse: sdk.MembersAndTeamsResponse;
  CreateVariableRequest: { variable: VariableInput };
  ReleasePhoneNumberRequest: sdk.ReleaseNumberInput;
  ReleasePhoneNumberResponse: sdk.ReleaseNumberResult;
  AgentEventPayload: sdk.AgentEventPayload;
  BugReportedPayload: sdk.BugReportedPayload;
  ChatDelegatedPayload: sdk.ChatDelegatedPayload;
  ClientEventPayload: sdk.ClientEventPayload;
  ConversationUpdatedPayload: sdk.ConversationUpdatedPayload;
  FormSubmittedPayload: sdk.FormSubmittedPayload;
  LeadCapturedPayload: sdk.LeadCapturedPayload;
  MessageReceivedPayload: sdk.MessageReceivedPayload;
  OrganisationEventPayload: sdk.OrganisationEventPayload;
  WebhookTestPayload: sdk.WebhookTestPayload;
}
type PlainOurs = { [Name in keyof Ours]: Plain<Ours[Name]> };
type PlainGenerated = { [Name in keyof Ours]: Plain<Generated[Name]> };

expectTypeOf<PlainOurs>().toEqualTypeOf<PlainGenerated>();

// The comparison is not blind: it sees presence, a field's type, a closed list, and a field that only one side has.
type Sees<A, B> = [Plain<A>] extends [Plain<B>] ? ([Plain<B>] extends [Plain<A>] ? 'nothing' : 'it') : 'it';
expectTypeOf<Sees<{ a: string }, { a?: string | undefined }>>().toEqualTypeOf<'it'>();
expectTypeOf<Sees<{ a: { b: 1 } }, { a: { b: number } }>>().toEqualTypeOf<'it'>();
expectTypeOf<Sees<{ a: 'x' }, { a: 'x' | 'y' }>>().toEqualTypeOf<'it'>();
expectTypeOf<Sees<{ a: 1 }, { a: 1; b?: 2 }>>().toEqualTypeOf<'it'>();
expectTypeOf<Sees<{ a?: 'x' | (string & {}) }, { a?: string | undefined }>>().toEqualTypeOf<'nothing'>();

expectTypeOf<keyof operations>().exclude<`on_${string}`>().toEqualTypeOf<keyof typeof sdk.endpoints>();
expectTypeOf<keyof webhooks>().toEqualTypeOf<sdk.WebhookEventType>();
