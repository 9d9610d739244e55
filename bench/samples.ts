/** The records and webhooks that are measured. */
import { fixtures } from 'agent-platform-sdk/testing';
import { SECRET } from './child.js';

const envelope = (data: object): string => JSON.stringify({ success: true, message: 'ok', data });

export const responses = {
  tool: () => envelope(fixtures.tool({ id: 'tool_1' })),
  conversation: () => envelope(fixtures.conversation()),
  /** 10,000 clients with the fields that most have (a choice: the specification requires hardly any). */
  clients: (count = 10_000) => {
    const { name, email, orgId, widgetIDs, status, ts, isAdmin, allowedChannels } = fixtures.orgClient();
    const typical = { name, email, orgId, widgetIDs, status, ts, isAdmin, allowedChannels };
    const clients = Array.from({ length: count }, (_, index) => ({ ID: `client_${index}`, ...typical }));
    return JSON.stringify({ success: true, message: 'ok', clients, teams: [] });
  },
};

/** Webhooks as they are posted. */
export const webhooks = {
  '0.3 kB': () => JSON.stringify(fixtures.delivery('message_received', SECRET)),
  '8 kB': () => conversationOf(8_000),
  '780 kB': () => conversationOf(780_000),
};

/** A `conversation_updated` of about this size. The specification does not show what is in a turn (6.3). */
export function conversationOf(bytes: number): string {
  const shell = fixtures.delivery('conversation_updated', SECRET);
  const turn = (index: number) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: 'When will my order arrive? It was to be here on Tuesday, and nobody has called me since.',
    ts: 1_700_000_000_000 + index * 1_000,
    tokens: { input: 120, output: 48 },
  });
  const count = Math.max(1, Math.round((bytes - 400) / (JSON.stringify(turn(0)).length + 1)));
  const turns = Array.from({ length: count }, (_, index) => turn(index));
  return JSON.stringify({ ...shell, payload: { ...shell.payload, turns } });
}
