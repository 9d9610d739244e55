import * as sdk from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import type * as z from 'zod/v4/mini';
import { type DocumentRecord, documentTable, type RecordName, recordNames } from './document-table.js';
import { minimal, schemaOf, valuesOf } from './records.js';

function expectTaken(record: RecordName, field: string, values: readonly unknown[]): void {
  for (const value of values) {
    const sent = { ...minimal(record), [field]: value };
    expect(schemaOf(record).safeParse(sent), field).toEqual({ success: true, data: sent });
  }
}

function expectRefused(record: RecordName, field: string, values: readonly unknown[]): void {
  for (const value of values) {
    const { error } = schemaOf(record).safeParse({ ...minimal(record), [field]: value });
    const places = error?.issues.map((issue) => [...issue.path, ...('keys' in issue ? issue.keys : [])][0]);
    expect(places, `${field}: ${JSON.stringify(value)}`).toEqual([field]);
  }
}

test.each(recordNames)('%s has the fields, types, presence and closedness of the document', (record) => {
  const { closed, required, chosen, fields }: DocumentRecord = documentTable[record];
  expect(Object.keys(schemaOf(record).shape).sort()).toEqual(Object.keys(fields).sort());
  for (const [field, type] of Object.entries(fields)) {
    const { taken, refused } = valuesOf(type);
    expectTaken(record, field, taken);
    expectRefused(record, field, refused);
    const isRequired = [...required, ...chosen].includes(field);
    (isRequired ? expectRefused : expectTaken)(record, field, [undefined]);
  }
  (closed ? expectRefused : expectTaken)(record, 'aNewField', [null, undefined, { deep: [1] }]);
});

test('the conversation has every field of its table', () => {
  // Counted in the text of 2.6, which names `origin` twice: checks the transcription.
  expect(Object.keys(documentTable.Conversation.fields)).toHaveLength(117);
});

/** The lists of values in the document. To the ones that it gives as examples, any text belongs. */
const lists: readonly (readonly [
  name: keyof typeof sdk.documentedValues,
  section: string,
  values: string,
  examples?: 'examples',
])[] = [
  ['clientStatus', '2.1', 'online, offline'],
  ['notifyThrough', '2.1.1', 'email, push, all, none'],
  ['notifyIf', '2.1.1', 'all, requestsOnly, none'],
  ['defaultToolKind', '2.5', 'assignable_system, runtime_auto'],
  ['defaultToolId', '2.5', 'web-search, human-handoff, end-call', 'examples'],
  ['defaultToolName', '2.5', 'KB-Search, Structured-Search, present, resolve_caller_timezone', 'examples'],
  ['region', '6.3', 'eu, na'],
  ['formType', '6.3', 'ui_engine_form, ui_engine_input'],
  ['eventAgentPlatform', '6.3', 'vg, vf'],
  ['eventOperation', '6.3', 'created, updated, deleted, captured, delegated, reported'],
  ['messageChannel', '6.3, Set A', 'whatsapp, instagram, facebook, telegram, webchat'],
  [
    'eventChannel',
    '6.3, Set B',
    'voice, voiceprov, web-chat, whatsapp, instagram, telegram, discord, gb-chat, messenger, telephony, webchat',
  ],
];

test.for(lists)('the list %s is that of the document (%s)', ([name, , values, examples]) => {
  const schemas: Readonly<Record<string, unknown>> = sdk;
  const schema = schemas[`${name.charAt(0).toUpperCase()}${name.slice(1)}Schema`] as z.ZodMiniEnum;
  expect(sdk.documentedValues[name].join(', ')).toBe(values);
  if (examples === undefined) expect(schema.options.join(', ')).toBe(values);
  else expect(schema.parse('a-new-one')).toBe('a-new-one');
});

test('every list of values is compared', () => {
  expect(Object.keys(sdk.documentedValues)).toEqual(lists.map(([name]) => name));
});
