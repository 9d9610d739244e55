import type * as sdk from 'agent-platform-sdk';
import type { endpoints, OrgClient, ReleaseNumberInput, Tool, VariableInput } from 'agent-platform-sdk';
import { expectTypeOf } from 'vitest';
import type * as z from 'zod/v4/mini';
import type { RecordName } from './document-table.js';

// Conditional types that wait for a type parameter are assignable only if they are identical:
// https://github.com/microsoft/TypeScript/issues/27024
type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/**
 * Whether two types are equal. `Identical` alone treats `a?: string` and `a?: string | undefined` as the
 * same.
 */
type Equal<A, B> = [A, B] extends [B, A] ? Identical<A, B> : false;

/** The interface of every record of the document. */
interface Interfaces {
  Assignee: sdk.Assignee;
  CannedResponse: sdk.CannedResponse;
  Conversation: sdk.Conversation;
  CreateVariableBody: sdk.CreateVariableBody;
  CrmActivity: sdk.CrmActivity;
  CrmAlerts: sdk.CrmAlerts;
  CrmNote: sdk.CrmNote;
  Csat: sdk.Csat;
  DefaultTool: sdk.DefaultTool;
  DetailedCost: sdk.DetailedCost;
  Envelope: sdk.Envelope;
  ErrorBody: sdk.ErrorBody;
  ErrorIssue: sdk.ErrorIssue;
  ExternalFlowV4Session: sdk.ExternalFlowV4Session;
  HandoffRecord: sdk.HandoffRecord;
  HandoffSettings: sdk.HandoffSettings;
  InboundEngagementState: sdk.InboundEngagementState;
  InternalState: sdk.InternalState;
  MembersAndTeams: sdk.MembersAndTeams;
  MembersAndTeamsResponse: sdk.MembersAndTeamsResponse;
  NodesInfo: sdk.NodesInfo;
  NotificationsSettings: sdk.NotificationsSettings;
  OnboardingPreferences: sdk.OnboardingPreferences;
  OnboardingState: sdk.OnboardingState;
  OrgClient: sdk.OrgClient;
  PersonalInfo: sdk.PersonalInfo;
  ReleaseNumberInput: sdk.ReleaseNumberInput;
  ReleaseNumberResult: sdk.ReleaseNumberResult;
  SetupData: sdk.SetupData;
  Team: sdk.Team;
  TeamSummary: sdk.TeamSummary;
  TokenUsage: sdk.TokenUsage;
  Tool: sdk.Tool;
  Variable: sdk.Variable;
  VariableField: sdk.VariableField;
  VariableInput: sdk.VariableInput;
  VoiceprovCall: sdk.VoiceprovCall;
  VoiceSession: sdk.VoiceSession;
}

type SchemaOf<Name extends RecordName> = (typeof sdk)[`${Name}Schema`];

/** The records whose interface differs from what their schema accepts or returns. */
type Unequal = {
  [Name in keyof Interfaces]:
    | (Equal<Interfaces[Name], z.output<SchemaOf<Name>>> extends true ? never : Name)
    | (Equal<Interfaces[Name], z.input<SchemaOf<Name>>> extends true ? never : Name);
}[keyof Interfaces];

/** Compiles only for `never`. */
function none<_Left extends never>(): void {}

none<Unequal>();
none<Exclude<RecordName, keyof Interfaces>>();
none<Exclude<keyof Interfaces, RecordName>>();

// `Equal` distinguishes what assignability does not.
none<Equal<{ a?: string | undefined }, { a?: string }> extends true ? 'optional' : never>();
none<Equal<{ a: unknown }, { a: sdk.Tool }> extends true ? 'unknown' : never>();
none<Equal<{ a: string; [key: string]: unknown }, { a: string }> extends true ? 'index signature' : never>();

// Each kind of field is tried once.

declare const tool: Tool;
// A misspelt field does not compile: open objects have no index signature.
// @ts-expect-error
tool.serverURL;
// A required field must be present; an optional one may be absent or undefined.
// @ts-expect-error
export const withoutSid: ReleaseNumberInput = { isImportedNumber: true };
export const withUndefined: OrgClient = { ID: 'client_1', name: undefined };
// A field that the service sets is not sent.
// @ts-expect-error
export const withId: VariableInput = { key: 'plan', id: 'variable_1' };
// A list that the document gives as complete is closed, and one that it gives by example takes any string.
expectTypeOf<OrgClient['status']>().toEqualTypeOf<'online' | 'offline' | undefined>();
expectTypeOf<Extract<sdk.MessageChannel, 'facebook'>>().toEqualTypeOf<'facebook'>();
expectTypeOf<Extract<sdk.EventChannel, 'facebook'>>().toEqualTypeOf<never>();
expectTypeOf<Tool['channels']>().toEqualTypeOf<('web-chat' | (string & {}))[] | undefined>();
// `any` of the document is `unknown`: a program looks at it before using it.
expectTypeOf<sdk.Conversation['sessions']>().toEqualTypeOf<unknown[] | undefined>();
expectTypeOf<sdk.Conversation['funnelExtractedData']>().toEqualTypeOf<Record<string, unknown> | undefined>();

// An endpoint has the types of the documented interfaces, and knows its path parameters.
type GetConversation = typeof endpoints.getConversation;
expectTypeOf<GetConversation['response']['result']>().toEqualTypeOf<sdk.Conversation | undefined>();
expectTypeOf<GetConversation['path']>().toEqualTypeOf<'/agents/{agentId}/convos/{convoId}'>();
expectTypeOf<typeof endpoints.deleteWorkspace.response.result>().toEqualTypeOf<void | undefined>();
