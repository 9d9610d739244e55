import { EventChannelSchema, MessageChannelSchema } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { documentTable, recordNames } from './document-table.js';
import { readBack, schemaOf } from './records.js';

test.each(recordNames)('%s has the fields, types, presence and closedness of the document', (record) => {
  const { section: _, required, expected, ...document } = documentTable[record];
  const code = readBack(schemaOf(record));
  const presence = { required: new Set(required), expected: new Set(expected) };
  expect({ ...code, required: new Set(code.required), expected: new Set(code.expected) }).toEqual({
    ...document,
    ...presence,
  });
});

test('the conversation has every field of its table', () => {
  // Counted in the text of 2.6, which names `origin` twice: checks the transcription.
  expect(Object.keys(documentTable.Conversation.fields)).toHaveLength(117);
});

test('the channels of message_received are Set A', () => {
  expect(MessageChannelSchema.options).toEqual(['whatsapp', 'instagram', 'facebook', 'telegram', 'webchat']);
});

test('the channels of the other events are Set B', () => {
  expect(EventChannelSchema.options.join(', ')).toBe(
    'voice, voiceprov, web-chat, whatsapp, instagram, telegram, discord, gb-chat, messenger, telephony, webchat',
  );
});
