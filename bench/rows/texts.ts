import type { WebhookEventType } from 'agent-platform-sdk';
import { fixtures } from 'agent-platform-sdk/testing';

/** The secret that all webhooks of the benches carry. */
const WORKSPACE_SECRET = 'bench-secret';

const envelope = (data: unknown): string => JSON.stringify({ success: true, message: 'ok', data });

/** The answer that all clients read: a tool, 0.7 kB. */
export const toolAnswer = (): string => envelope(fixtures.tool({ id: 'tool_1' }));

/** A webhook as it is posted. */
export function delivery(type: WebhookEventType): string {
  return JSON.stringify(fixtures.delivery(type, WORKSPACE_SECRET));
}

/** A `conversation_updated` of about so many bytes: a chat history of as many turns as that takes. */
export function conversationOf(bytes: number): string {
  const shell = fixtures.delivery('conversation_updated', WORKSPACE_SECRET);
  const size = JSON.stringify(turn(0)).length + 1;
  const turns = turnsOf(Math.max(1, Math.round((bytes - 400) / size)));
  return JSON.stringify({ ...shell, payload: { ...shell.payload, turns } });
}

/** So many turns of a chat. The document does not show their inner structure (6.3). */
export function turnsOf(count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => turn(index));
}

function turn(index: number): unknown {
  return {
    role: index % 2 === 0 ? 'user' : 'assistant',
    content:
      'When will my order arrive? It was to be here on Tuesday, and nobody has told me anything since.',
    ts: 1_700_000_000_000 + index * 1_000,
    tokens: { input: 120, output: 48 },
  };
}
