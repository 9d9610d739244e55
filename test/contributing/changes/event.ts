import type { Change } from '../change.js';

const PAYLOAD = `import { requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt } from './leaf.js';

/** Payload of \`call_ended\` (document, 6.3). */
export interface CallEndedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link CallEndedPayload}. */
export const CallEndedPayloadSchema = openObject({
  agentId: requiredText,
  agentName: text,
  createdAt,
});
`;

/** A seventeenth event, with a payload and a category of its own: `call_ended`. */
export const event: Change = {
  heading: 'To add an event',
  edits: [
    { file: 'src/webhooks/payloads/call.ts', text: PAYLOAD },
    {
      file: 'src/index.ts',
      before:
        "export { type ChatDelegatedPayload, ChatDelegatedPayloadSchema } from './webhooks/payloads/chat.js';",
      insert:
        "export { type CallEndedPayload, CallEndedPayloadSchema } from './webhooks/payloads/call.js';\n",
    },
    {
      file: 'src/webhooks/events.ts',
      before: "import { type ChatDelegatedPayload, ChatDelegatedPayloadSchema } from './payloads/chat.js';",
      insert: "import { type CallEndedPayload, CallEndedPayloadSchema } from './payloads/call.js';\n",
    },
    { file: 'src/webhooks/events.ts', before: "  | 'Conversation';", insert: "  | 'Call'\n" },
    {
      file: 'src/webhooks/events.ts',
      before: "  conversation_updated: ReceivedEvent<'conversation_updated'",
      insert: "  call_ended: ReceivedEvent<'call_ended', CallEndedPayload>;\n",
    },
    {
      file: 'src/webhooks/events.ts',
      before: "  conversation_updated: row('Conversation'",
      insert: "  call_ended: row('Call', 'native', CallEndedPayloadSchema),\n",
    },
    {
      file: 'src/testing/fixtures/events.ts',
      before: '  conversation_updated: conversationUpdated,',
      insert: '  call_ended: ofAgent,\n',
    },
    {
      file: 'scripts/openapi/components.ts',
      before: "import { ChatDelegatedPayloadSchema } from '../webhooks/payloads/chat.js';",
      insert: "import { CallEndedPayloadSchema } from '../webhooks/payloads/call.js';\n",
    },
    {
      file: 'scripts/openapi/components.ts',
      before: '  ChatDelegatedPayload: ChatDelegatedPayloadSchema,',
      insert: '  CallEndedPayload: CallEndedPayloadSchema,\n',
    },
    {
      file: 'test/webhooks/deliveries.ts',
      before: "  webhook_test: { message: 'A test.', createdAt },",
      insert: '  call_ended: agent,\n',
    },
    {
      file: 'test/webhooks/events.test.ts',
      before: "  conversation_updated: ['Conversation', 'not shown'],",
      insert: "  call_ended: ['Call', 'native'],\n",
    },
    {
      file: 'test/webhooks/events.test.ts',
      before: "  form_submitted: { agentName: 'Sales' },",
      insert: "  call_ended: { agentName: 'Sales' },\n",
    },
  ],
  demanded: ['src/testing/fixtures/events.ts', 'test/webhooks/deliveries.ts', 'test/webhooks/events.test.ts'],
  tests: ['test/webhooks/events.test.ts', 'test/openapi', 'test/testing/fixtures.test.ts'],
};
