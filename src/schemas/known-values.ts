import type * as z from 'zod/mini';
import { AssigneeSchema } from './conversation/assignee.js';
import { CrmActivitySchema } from './conversation/crm-activity.js';
import { ExternalFlowV4SessionSchema } from './conversation/external-flow-session.js';
import { InboundEngagementStateSchema } from './conversation/inbound-engagement.js';
import { ConversationSchema } from './conversation.js';
import { OrgClientSchema } from './org-client.js';
import { ToolSchema } from './tool.js';
import { VariableFieldSchema, VariableInputSchema, VariableSchema } from './variable.js';

// The values of open lists stand apart from the schemas: no client needs them at run time, and none should carry them.

/** The values that an open list, or a list of one, completes. */
type Known<Value> = Value extends readonly (infer Element)[]
  ? Known<Element>
  : Value extends string
    ? string extends Value
      ? never
      : Value
    : never;

const tabs = ['home', 'convos', 'leads', 'kb', 'analytics', 'theme', 'settings', 'prompt'] as const;

/** The values the document shows for an open list, for generated documentation; undefined for other schemas. */
export function knownValues(schema: z.core.$ZodType): readonly string[] | undefined {
  known ??= new Map([
    ...shown(ToolSchema, 'method', ['GET']),
    ...shown(VariableFieldSchema, 'type', ['string']),
    ...shown(VariableSchema, 'type', ['string']),
    ...shown(VariableInputSchema, 'type', ['string']),
    ...shown(
      OrgClientSchema,
      'canAccess',
      tabs.map((tab) => `/${tab}` as const),
    ),
    ...shown(OrgClientSchema, 'allowedChannels', ['all']),
    ...shown(OrgClientSchema, 'allowedIntegrations', ['all']),
    ...shown(OrgClientSchema, 'clientTabOrder', tabs),
    ...shown(ConversationSchema, 'stage', ['new']),
    ...shown(ConversationSchema, 'state', ['requested_chat', 'ai-chatting']),
    ...shown(ConversationSchema, 'hotLabel', ['hot']),
    ...shown(AssigneeSchema, 'status', ['pending']),
    ...shown(CrmActivitySchema, 'type', ['Message']),
    ...shown(CrmActivitySchema, 'firstChannel', ['LinkedIn']),
    ...shown(CrmActivitySchema, 'secondChannel', ['LinkedIn']),
    ...shown(ExternalFlowV4SessionSchema, 'resolvedRuntime', ['legacy']),
    ...shown(InboundEngagementStateSchema, 'lastTriggeredBy', ['phrase']),
  ]);
  return known.get(schema);
}

let known: ReadonlyMap<z.core.$ZodType, readonly string[]> | undefined;

function shown<Shape extends z.core.$ZodShape, Field extends keyof Shape & string>(
  record: z.ZodMiniObject<Shape>,
  field: Field,
  values: readonly Known<z.core.output<Shape[Field]>>[],
): [z.core.$ZodType, readonly string[]][] {
  const schema = record.shape[field];
  return schema === undefined ? [] : [[leafOf(schema), values]];
}

/** The schema inside optionals and arrays. */
function leafOf(schema: z.core.$ZodType): z.core.$ZodType {
  // `$ZodTypes` is Zod's own union of its schemas, told apart by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional') return leafOf(def.innerType);
  return def.type === 'array' ? leafOf(def.element) : schema;
}
