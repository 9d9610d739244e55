import type {
  Conversation,
  EventChannel,
  MessageChannel,
  OrgClient,
  ReleaseNumberInput,
  Tool,
  Variable,
  VariableInput,
} from 'agent-platform-sdk';
import { endpoints, ToolSchema } from 'agent-platform-sdk';
import { expectTypeOf } from 'vitest';
import * as z from 'zod/v4/mini';

// `records.test-d.ts` compares every interface with its schema. Here, each kind of field is tried once.

declare const tool: Tool;

// A misspelt field does not compile: open objects have no index signature.
// @ts-expect-error
tool.serverURL;
// @ts-expect-error
z.parse(ToolSchema, {}).serverURL;
// @ts-expect-error
export const misspelt: VariableInput = { key: 'plan', defaultvalue: 1 };

// A required field must be present; an optional one may be absent or undefined.
// @ts-expect-error
export const withoutSid: ReleaseNumberInput = { isImportedNumber: true };
export const withUndefined: OrgClient = { ID: 'client_1', name: undefined };
// A field that the service sets is not sent.
// @ts-expect-error
export const withId: VariableInput = { key: 'plan', id: 'variable_1' };

// A list that the document gives as complete is closed.
expectTypeOf<OrgClient['status']>().toEqualTypeOf<'online' | 'offline' | undefined>();
expectTypeOf<Extract<MessageChannel, 'facebook'>>().toEqualTypeOf<'facebook'>();
expectTypeOf<Extract<EventChannel, 'facebook'>>().toEqualTypeOf<never>();

// A list that the document gives by example takes any string.
export const method: Tool['method'] = 'POST' as string;
expectTypeOf<Tool['channels']>().toEqualTypeOf<('web-chat' | (string & {}))[] | undefined>();

// `any` of the document is `unknown`: a program looks at it before using it.
expectTypeOf<Variable['value']>().toEqualTypeOf<unknown>();
expectTypeOf<Conversation['sessions']>().toEqualTypeOf<unknown[] | undefined>();
expectTypeOf<Conversation['funnelExtractedData']>().toEqualTypeOf<Record<string, unknown> | undefined>();

// An endpoint has the types of the documented interfaces, and knows its path parameters.
expectTypeOf(endpoints.getConversation.response.result).toEqualTypeOf<Conversation | undefined>();
expectTypeOf(endpoints.deleteWorkspace.response.result).toEqualTypeOf<void | undefined>();
expectTypeOf(endpoints.getConversation.path).toEqualTypeOf<'/agents/{agentId}/convos/{convoId}'>();
