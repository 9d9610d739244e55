import type { WebhookEventType } from 'agent-platform-sdk';

/** Looks like nothing real. */
export const secret = 'test-workspace-secret-0001';

const createdAt = 1_760_000_000_000;
const agent = { agentId: 'agent_1', createdAt };
const convo = { ...agent, convoId: 'convo_1' };
const organisation = { organisationId: 'org_1', createdAt };
const client = { organisationId: 'org_1', clientId: 'client_1', createdAt };

/** The least that 6.3 requires of each payload. */
export const minimal: Readonly<Record<WebhookEventType, Readonly<Record<string, unknown>>>> = {
  agent_created: { ...agent, operation: 'created' },
  agent_updated: { ...agent, operation: 'updated' },
  agent_deleted: { ...agent, operation: 'deleted' },
  message_received: { ...convo, messageContent: 'Hi', channel: 'facebook' },
  conversation_updated: { ...convo, lightConvoData: {}, turns: [], operation: 'updated' },
  organisation_created: { ...organisation, operation: 'created' },
  organisation_updated: { ...organisation, operation: 'updated' },
  organisation_deleted: { ...organisation, operation: 'deleted' },
  client_created: { ...client, operation: 'created' },
  client_updated: { ...client, operation: 'updated' },
  client_deleted: { ...client, operation: 'deleted' },
  lead_captured: { ...agent, channel: 'web-chat', operation: 'captured' },
  form_submitted: { ...convo, formType: 'ui_engine_form', formData: { colour: 'blue' }, channel: 'voice' },
  chat_delegated: { ...convo, assignedToUserId: 'user_1', channel: 'telephony', operation: 'delegated' },
  bug_reported: { ...convo, bugDescription: 'It broke.', channel: 'webchat', operation: 'reported' },
  webhook_test: { message: 'A test.', createdAt },
};

export const eventTypes = Object.keys(minimal) as WebhookEventType[];

/** An authentic envelope as an object. */
export function envelope(
  type: string,
  overrides: Readonly<Record<string, unknown>> = {},
): { type: string; payload: Record<string, unknown> } {
  const known: Readonly<Record<string, Readonly<Record<string, unknown>>>> = minimal;
  return { type, payload: { ...known[type], workspaceSecret: secret, ...overrides } };
}

/** An authentic envelope as the service posts it. */
export function delivery(type: string, overrides: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify(envelope(type, overrides));
}

/** The same as a request to `receiver.handle`. */
export function post(type: string, overrides: Readonly<Record<string, unknown>> = {}) {
  return { method: 'POST', headers: {}, body: delivery(type, overrides) };
}

/** Lets pending promises settle. Not under fake timers: there `vi.advanceTimersByTimeAsync(0)` does. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
