import {
  ClientStatusSchema,
  DefaultToolIdSchema,
  DefaultToolKindSchema,
  DefaultToolNameSchema,
  documentedValues,
  EventAgentPlatformSchema,
  EventChannelSchema,
  EventOperationSchema,
  FormTypeSchema,
  MessageChannelSchema,
  NotifyIfSchema,
  NotifyThroughSchema,
  RegionSchema,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { documentTable, recordNames } from './document-table.js';
import { readBack, schemaOf } from './records.js';

test.each(recordNames)('%s has the fields, types, presence and closedness of the document', (record) => {
  const { section: _, required, chosen, ...document } = documentTable[record];
  const code = readBack(schemaOf(record));
  expect({ ...code, required: new Set(code.required) }).toEqual({
    ...document,
    required: new Set([...required, ...chosen]),
  });
});

test('the conversation has every field of its table', () => {
  // Counted in the text of 2.6, which names `origin` twice: checks the transcription.
  expect(Object.keys(documentTable.Conversation.fields)).toHaveLength(117);
});

/** The lists of values in the document, with their section and, if the list is complete, their schema. */
const lists: readonly (readonly [
  name: keyof typeof documentedValues,
  section: string,
  values: string,
  schema?: { readonly options: readonly string[] },
])[] = [
  ['clientStatus', '2.1', 'online, offline', ClientStatusSchema],
  ['notifyThrough', '2.1.1', 'email, push, all, none', NotifyThroughSchema],
  ['notifyIf', '2.1.1', 'all, requestsOnly, none', NotifyIfSchema],
  ['defaultToolKind', '2.5', 'assignable_system, runtime_auto', DefaultToolKindSchema],
  ['defaultToolId', '2.5', 'web-search, human-handoff, end-call'],
  ['defaultToolName', '2.5', 'KB-Search, Structured-Search, present, resolve_caller_timezone'],
  ['region', '6.3', 'eu, na', RegionSchema],
  ['formType', '6.3', 'ui_engine_form, ui_engine_input', FormTypeSchema],
  ['eventAgentPlatform', '6.3', 'vg, vf', EventAgentPlatformSchema],
  ['eventOperation', '6.3', 'created, updated, deleted, captured, delegated, reported', EventOperationSchema],
  ['messageChannel', '6.3, Set A', 'whatsapp, instagram, facebook, telegram, webchat', MessageChannelSchema],
  [
    'eventChannel',
    '6.3, Set B',
    'voice, voiceprov, web-chat, whatsapp, instagram, telegram, discord, gb-chat, messenger, telephony, webchat',
    EventChannelSchema,
  ],
];

test.for(lists)('the list %s is that of the document (%s)', ([name, , values, schema]) => {
  expect(documentedValues[name].join(', ')).toBe(values);
  if (schema !== undefined) expect(schema.options.join(', ')).toBe(values);
});

test('every list of values is compared, and those of examples take other values too', () => {
  expect(Object.keys(documentedValues)).toEqual(lists.map(([name]) => name));
  expect([DefaultToolIdSchema, DefaultToolNameSchema].map((schema) => schema.parse('a-new-one'))).toEqual([
    'a-new-one',
    'a-new-one',
  ]);
});
