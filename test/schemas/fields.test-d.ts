import type {
  Conversation,
  DefaultTool,
  ErrorBody,
  EventChannel,
  MessageChannel,
  NotificationsSettings,
  OrgClient,
  ReleaseNumberInput,
  Tool,
  Variable,
  VariableInput,
} from 'agent-platform-sdk';
import { endpoints, ToolSchema } from 'agent-platform-sdk';
import { expectTypeOf } from 'vitest';
import * as z from 'zod/mini';

declare const tool: Tool;
declare const conversation: Conversation;

// A misspelt field does not compile: open objects have no index signature.
// @ts-expect-error
tool.serverURL;
// @ts-expect-error
conversation.useremail;
// @ts-expect-error
z.parse(ToolSchema, {}).serverURL;
// @ts-expect-error
export const misspelt: VariableInput = { key: 'plan', defaultvalue: 1 };

// A required field has to be there; an optional one may be left out or undefined.
// @ts-expect-error
export const withoutKey: VariableInput = { value: 'pro' };
// @ts-expect-error
export const withoutSid: ReleaseNumberInput = { isImportedNumber: true };
// @ts-expect-error
export const withoutCode: ErrorBody = { message: 'no' };
// A field that the service sets is not sent.
// @ts-expect-error
export const withId: VariableInput = { key: 'plan', id: 'variable_1' };
// @ts-expect-error
export const withAgentId: VariableInput = { key: 'plan', agentId: 'agent_1' };
// @ts-expect-error
export const withUserId: VariableInput = { key: 'plan', userId: 'user_1' };
export const withUndefined: OrgClient = { ID: 'client_1', name: undefined };

// A list that the document gives as the set is closed.
expectTypeOf<OrgClient['status']>().toEqualTypeOf<'online' | 'offline' | undefined>();
expectTypeOf<OrgClient['type']>().toEqualTypeOf<'client' | 'org' | undefined>();
expectTypeOf<DefaultTool['kind']>().toEqualTypeOf<'assignable_system' | 'runtime_auto' | undefined>();
expectTypeOf<NotificationsSettings['notifyIf']>().toEqualTypeOf<'all' | 'requestsOnly' | 'none'>();
expectTypeOf<Extract<MessageChannel, 'facebook'>>().toEqualTypeOf<'facebook'>();
expectTypeOf<Extract<EventChannel, 'facebook'>>().toEqualTypeOf<never>();

// A list given by example takes any string.
export const method: Tool['method'] = 'POST' as string;
export const state: Conversation['state'] = 'a state of tomorrow';
expectTypeOf<Tool['channels']>().toEqualTypeOf<('web-chat' | (string & {}))[] | undefined>();

// `any` of the document is `unknown`: it is looked at before it is used.
expectTypeOf<Variable['value']>().toEqualTypeOf<unknown>();
expectTypeOf<Conversation['origin']>().toEqualTypeOf<unknown>();
expectTypeOf<Conversation['sessions']>().toEqualTypeOf<unknown[] | undefined>();
expectTypeOf<Conversation['funnelExtractedData']>().toEqualTypeOf<Record<string, unknown> | undefined>();

// An endpoint is typed by the documented interfaces, and knows its path parameters.
expectTypeOf(endpoints.getTool.response.result).toEqualTypeOf<Tool | undefined>();
expectTypeOf(endpoints.listDefaultTools.response.result).toEqualTypeOf<DefaultTool[] | undefined>();
expectTypeOf(endpoints.createVariable.response.result).toEqualTypeOf<Variable | undefined>();
expectTypeOf(endpoints.getConversation.response.result).toEqualTypeOf<Conversation | undefined>();
expectTypeOf(endpoints.deleteWorkspace.response.result).toEqualTypeOf<void | undefined>();
expectTypeOf(endpoints.getConversation.path).toEqualTypeOf<'/agents/{agentId}/convos/{convoId}'>();
