import { expect, test } from 'vitest';
import type { RecordName } from './document-table.js';
import { schemaOf } from './records.js';
import { minimal } from './samples.js';

// `document.test.ts` compares every field with the document. Here, each kind of field is tried once.

const kinds: readonly (readonly [
  kind: string,
  record: RecordName,
  field: string,
  accepted: readonly unknown[],
  rejected: readonly unknown[],
])[] = [
  ['a required string', 'ErrorBody', 'code', ['text', ''], [undefined, null, 1]],
  ['a string that is required by a choice', 'Tool', 'id', ['text', ''], [undefined, null, 1]],
  ['an optional string', 'Tool', 'name', ['text', '', undefined], [null, 1, ['text']]],
  ['a number', 'OrgClient', 'index', [0, -1.5, 2 ** 53 - 1, undefined], [null, '1', true, 2 ** 53, -1e300]],
  ['a boolean', 'OrgClient', 'isAdmin', [true, false, undefined], [null, 'true', 0]],
  ['any value', 'Variable', 'value', [null, undefined, '', 0, false, [1], { a: 1 }], []],
  ['an object', 'Conversation', 'funnelExtractedData', [{}, { a: [1] }, undefined], [null, 'text', []]],
  ['a list of strings', 'Tool', 'variablesIds', [[], ['text'], undefined], [null, 'text', ['text', 1]]],
  ['a list of numbers', 'OnboardingState', 'completedSteps', [[], [1]], [null, 1, [1, '2'], [null]]],
  ['a list of any values', 'Conversation', 'sessions', [[], [null, 1, {}]], [null, {}]],
  ['a closed enum', 'OrgClient', 'status', ['online', undefined], [null, 'away', '', 1]],
  ['an open enum', 'Tool', 'method', ['GET', 'POST', '', undefined], [null, 1]],
  ['a list of an open enum', 'Tool', 'channels', [['web-chat', 'sms']], ['web-chat', [null]]],
  ['a record', 'OrgClient', 'handoff', [{}, { maxAssignees: 1 }], [null, [], { maxAssignees: '1' }]],
  ['a list of records', 'CrmActivity', 'notesHistory', [[], [{ text: '' }]], [{}, [{}, { text: 1 }], [[]]]],
  ['a field that is only returned', 'VariableInput', 'id', [undefined], [null, 'text', 1]],
  ['a field that an open record does not list', 'Tool', 'aNewField', [null, { deep: [1] }], []],
  ['a field that a closed record does not list', 'Team', 'aNewField', [], [null, undefined, 1]],
  [
    'an unlisted field of an open record inside a closed one',
    'OrgClient',
    'internal',
    [{ aNewField: 1 }],
    [],
  ],
  ['an unlisted field of a closed record inside', 'OrgClient', 'onboardingState', [], [{ aNewField: 1 }]],
];

test.each(kinds)('%s: %s.%s', (_, record, field, accepted, rejected) => {
  for (const value of accepted) {
    const sent = { ...minimal(record), [field]: value };
    expect(schemaOf(record).safeParse(sent)).toEqual({ success: true, data: sent });
  }
  for (const value of rejected) {
    const { error } = schemaOf(record).safeParse({ ...minimal(record), [field]: value });
    const places = error?.issues.map((issue) => [...issue.path, ...('keys' in issue ? issue.keys : [])]);
    expect(places).toEqual([expect.arrayContaining([field])]);
  }
});

test.each([null, undefined, 'text', 1, []])('a record is no %j', (value) => {
  expect(schemaOf('Tool').safeParse(value).error?.issues).toMatchObject([{ path: [] }]);
});
