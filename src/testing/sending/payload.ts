import { ConfigurationError } from '../../errors/index.js';
import { type WebhookEventType, type WebhookPayloadOf, webhookEvents } from '../../webhooks/events/table.js';
import type { RecordPlace } from '../fake/records/kinds.js';
import { EVENT_TYPES } from '../fixtures/events.js';
import { checkEventType, createFixtures } from '../fixtures/fixtures.js';
import { type DeepPartial, isMisspelt } from '../fixtures/overlay.js';

/** The payload for `send`: fields to merge into a fixture, or a whole one for a custom type. */
export type PayloadToSend<Type extends string> = Type extends WebhookEventType
  ? DeepPartial<WebhookPayloadOf<Type>>
  : Readonly<Record<string, unknown>>;

export type Payload = Readonly<Record<string, unknown>>;

/** Merges fields into the fixture of an event, and sets the platform of its agent. */
export function completePayload(type: WebhookEventType, fields: Payload, place: RecordPlace): Payload {
  // Fields of wrong types are let through: receivers meet them too. An interface has no index signature.
  const payload = createFixtures(place).event(type, fields).payload as object as Payload;
  const agent = place.state.agents.get(String(payload.agentId));
  if (agent?.platform === 'vf' && webhookEvents[type].platforms === 'native') {
    const why = "only the native platform sends it, and this agent has platform: 'vf'";
    const problem = `${type} cannot be sent for agent "${agent.id}": ${why}.`;
    throw new ConfigurationError(problem, { option: 'type' });
  }
  if (agent === undefined || !('agentPlatform' in payload) || 'agentPlatform' in fields) return payload;
  return { ...payload, agentPlatform: agent.platform };
}

/** Refuses a type that looks misspelt. Any other is sent: a newer service may have it. */
export function checkSpelling(type: string): void {
  if (isMisspelt(type, EVENT_TYPES)) checkEventType(type);
}
