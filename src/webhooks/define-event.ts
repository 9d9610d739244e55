import type * as z from 'zod/mini';
import { ConfigurationError } from '../errors/index.js';
import { settling } from '../ground/later.js';
import {
  isStandardSchema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchemaV1,
} from '../ground/standard-schema.js';
import { isOwnSchema } from '../schemas/object.js';
import { refuseOption } from '../validation/option-checks.js';
import { type ValidationMode, type Verdict, validateOwn, verdictOf } from '../validation/validate.js';
import { type DefinedEvent, isWebhookEventType } from './events.js';

/**
 * Defines an event type that the specification does not list, so that its events are validated and typed as the documented ones are: in
 * `receiver.on(…)`, in `parseWebhook` and `parseWebhookRequest` by their option `events`, and in the fake by `fake.webhooks.send(…)`.
 *
 * A payload that does not fit is an invalid event, as of a documented type. The schema decides alone what fits: `tolerant`
 * forgives no more than it does. Handlers are given its output, which of most libraries has no fields but those that the schema names.
 *
 * @param type - `type` of the envelope.
 * @param schema - Any Standard Schema of the payload, less `workspaceSecret`, that answers at once and not by a promise.
 * @throws {ConfigurationError} The specification lists the type, which has its schema then: see `webhookEvents`. Or the type is no text, or the schema none.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, defineEvent } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * // The specification lists no such event: type and payload are made up.
 * const leadScored = defineEvent('lead_scored', z.object({ agentId: z.string(), score: z.number() }));
 *
 * createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }).on(leadScored, ({ payload }) =>
 *   console.log(payload.agentId, payload.score),
 * );
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineEvent<const Type extends string, Schema extends StandardSchemaV1>(
  type: Type,
  schema: Schema,
): DefinedEvent<Type, SchemaOutput<Schema>, SchemaInput<Schema>> {
  if (typeof type !== 'string' || type === '') refuseOption('type', 'must be the name of an event type');
  if (isWebhookEventType(type)) {
    refuseOption(
      'type',
      `"${type as string}" is an event of the specification, and has its schema: pass its name`,
    );
  }
  if (!isStandardSchema(schema)) refuseOption('schema', 'must be a Standard Schema, such as one of Zod');
  const event: DefinedEvent<Type, SchemaOutput<Schema>, SchemaInput<Schema>> = {
    type,
    // The types of its library say what it accepts and returns.
    payload: schema as StandardSchemaV1<SchemaInput<Schema>, SchemaOutput<Schema>>,
    validate: (payload, mode) => judge(schema, payload, mode, type),
    addTo(events) {
      if ((events.get(type) ?? event) !== event) refuseOption('type', `"${type}" is defined twice`);
      events.set(type, event);
      return type;
    },
  };
  return event;
}

function judge(schema: StandardSchemaV1, payload: unknown, mode: ValidationMode, type: string): Verdict {
  if (isOwnSchema(schema)) return validateOwn(schema as unknown as z.core.$ZodType, payload, mode);
  if (mode === 'off') return { ok: true, value: payload, drift: [] };
  let result: ReturnType<typeof settle>;
  try {
    result = settle(schema, payload);
    if (!(result instanceof Promise)) return verdictOf(result, payload, mode);
  } catch {
    // As a schema of a user's own may, or answer with what is no result: it has accepted nothing then.
    const issues = [{ path: [], code: 'schema_threw', message: 'the schema threw an error' }];
    return mode === 'report' ? { ok: true, value: payload, drift: issues } : { ok: false, issues };
  }
  result.catch(() => undefined);
  throw new ConfigurationError(
    `The schema of the event "${type}" answers by a promise: defineEvent takes one that answers at once.`,
    { option: 'schema' },
  );
}

const settle = (schema: StandardSchemaV1, payload: unknown) =>
  settling(schema['~standard'].validate(payload));
