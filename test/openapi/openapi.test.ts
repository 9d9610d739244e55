import { readFileSync } from 'node:fs';
import {
  type Endpoint,
  endpoint,
  endpoints,
  type PageShape,
  ReleaseNumberInputSchema,
  ToolSchema,
  webhookEvents,
  withPage,
} from 'agent-platform-sdk';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { bodyName, components } from '../../scripts/openapi/components.js';
import { openApiText } from '../../scripts/openapi/document.js';
import { paths } from '../../scripts/openapi/operations.js';
import { readWords } from '../../scripts/openapi/words.js';
import { operationNames, operations } from '../endpoints/operations.js';
import {
  type DocumentRecord,
  documentTable,
  type RecordName,
  recordNames,
} from '../schemas/document-table.js';
import { complete } from '../schemas/records.js';
import { newFile } from '../support/new-file.js';
import { envelope, eventTypes } from '../webhooks/deliveries.js';

interface Operation {
  readonly operationId: string;
  readonly parameters?: unknown;
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Field {
  readonly description?: string;
  readonly 'x-choice'?: true;
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly items?: Field;
}
interface Schema {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}
interface Document {
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: object }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const committed = readFileSync('openapi.json', 'utf8');
const document = JSON.parse(committed) as Document;

const ajv = new Ajv2020({ strict: true, strictTypes: false, keywords: ['webhooks', 'x-choice'] });
ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']);
ajv.addSchema(document, 'openapi.json');

/** The validator of a place in the document. Throws for a wrong schema or a dangling reference. */
const validatorOf = (pointer: string): ValidateFunction => ajv.compile({ $ref: `openapi.json#${pointer}` });

function expectFit(validate: ValidateFunction, value: unknown): void {
  expect([validate(value), validate.errors]).toEqual([true, null]);
}

// It takes seconds, so it's done once.
const words = readWords('src/index.ts');

test('openapi.json is what `npm run openapi` writes', () => {
  expect(committed).toBe(openApiText(words));
});

test.each(Object.entries<Endpoint>(endpoints))('%s is described as it is declared', (name, endpoint) => {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()] as Operation;
  expect(operation.operationId).toBe(name);
  expect(operation.requestBody !== undefined).toBe(endpoint.body !== undefined);
  // Generators of clients know no ranges, or fail.
  expect(Object.keys(operation.responses)[0]).toBe('200');
  expect(operation.responses).not.toHaveProperty('2XX');
});

test('parameters and a page are described as they are declared', () => {
  // No documented operation has a query, so an exported record is this one's.
  const listTools = endpoint({
    method: 'GET',
    path: '/agents/{agentId}/tools',
    query: ReleaseNumberInputSchema,
    response: withPage(ToolSchema, { data: 'items', cursor: 'phoneNumberSid' }),
  });
  const about = { ...words.operation('getTool'), parameter: () => 'Agent id.' };
  const described = paths({ ...words, operation: () => about }, { listTools });
  const worded = { description: expect.any(String) as string };
  expect((described[listTools.path] as { readonly get: Operation }).get.parameters).toMatchObject([
    { name: 'agentId', in: 'path', required: true, description: 'Agent id.' },
    { name: 'workspaceId', in: 'query', required: false, ...worded },
    { name: 'phoneNumberSid', in: 'query', required: true, ...worded },
    { name: 'isImportedNumber', in: 'query', required: true, schema: { type: 'boolean' }, ...worded },
  ]);
  const schemas = components(described, words, { listTools });
  expect(schemas.ListToolsResponse).toMatchObject({
    required: ['success', 'message', 'items'],
    properties: {
      items: { type: 'array', items: { $ref: '#/components/schemas/Tool' }, 'x-choice': true },
      nextCursor: worded,
      hasMore: { type: 'boolean', ...worded },
    },
  });
}, 60_000);

/** A module with an operation that the specification does not show. */
const undocumented = `
export const endpoints = {
  /** @undocumented */
  listTools: { path: '/tools' },
  /** Gets a tool. */
  getTool: { path: '/tools/{toolId}' },
};
export interface WebhookEvents {
  tool_created: object;
  /** @undocumented */
  tool_paused: object;
}
/** @group Tools */
export class Tools {
  list() { this.send(endpoints.listTools); }
  get() { this.send(endpoints.getTool); }
}
`;

test('an operation or an event with @undocumented has x-undocumented, and no other', () => {
  const read = readWords(newFile(undocumented, 'index.ts'));
  expect(read.operation('listTools').undocumented).toBe(true);
  expect(read.operation('getTool').undocumented).toBe(false);
  expect(read.record('WebhookEvents', 'tool_paused')).toEqual({ 'x-undocumented': true });
  expect(read.record('WebhookEvents', 'tool_created')).toEqual({});
  const operation = (key: string) => ({ ...words.operation(key), undocumented: key === 'getTool' });
  const marked = Object.values(paths({ ...words, operation })).filter((path) =>
    JSON.stringify(path).includes('"x-undocumented":true'),
  );
  expect(marked).toMatchObject([{ get: { operationId: 'getTool' } }]);
}, 60_000);

test('openapi.json contains the contract of the service, and no rule of this package', () => {
  expect(committed).not.toMatch(/redact\(|refused:|minLength|"not":|Expected, not required|this package/);
});

test('every field of every body has a description', () => {
  const fields: [name: string, field: Field][] = [];
  // No record has a field named `properties`.
  JSON.parse(committed, (key, value: Record<string, Field>) => {
    if (key === 'properties') fields.push(...Object.entries(value));
    return value;
  });
  expect(fields.length).toBeGreaterThan(400);
  expect(fields.filter(([, { description }]) => !description)).toEqual([]);
});

test('the fields that are required by a choice are marked, and no other', () => {
  const envelope = documentTable.Envelope.chosen;
  const chosenOf = { data: [...envelope, 'data'], none: envelope, fields: [], body: [] };
  const responses = Object.entries<Endpoint>(endpoints).map(([name, { response }]) => {
    const { page } = response as Partial<PageShape<unknown, unknown, string>>;
    return [bodyName(name, 'Response'), page ? [...envelope, page.data] : chosenOf[response.kind]];
  });
  const bodies: Readonly<Record<string, readonly string[]>> = {
    ...Object.fromEntries(responses),
    CreateVariableRequest: documentTable.CreateVariableBody.chosen,
    ReleasePhoneNumberRequest: documentTable.ReleaseNumberInput.chosen,
    ReleasePhoneNumberResponse: documentTable.ReleaseNumberResult.chosen,
  };
  const records: Readonly<Record<string, DocumentRecord | undefined>> = documentTable;
  for (const [name, { properties = {}, required = [] }] of Object.entries(document.components.schemas)) {
    const marked = Object.keys(properties).filter((field) => properties[field]?.['x-choice']);
    expect([name, new Set(marked)]).toEqual([name, new Set(bodies[name] ?? records[name]?.chosen)]);
    expect(required).toEqual(expect.arrayContaining(marked));
  }
});

test('operations need a token, webhooks do not', () => {
  expect(document.security).toEqual([{ bearer: [] }]);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  expect(operations.filter((operation) => 'security' in operation)).toEqual([]);
  expect(Object.keys(document.webhooks)).toEqual(Object.keys(webhookEvents));
  for (const { post } of Object.values(document.webhooks)) expect(post).toMatchObject({ security: [] });
});

const described = recordNames.filter((name) => name in document.components.schemas);

test.each<[component: string, record: RecordName]>([
  ...described.map((name): [string, RecordName] => [name, name]),
  ['CreateVariableRequest', 'CreateVariableBody'],
  ['ReleasePhoneNumberRequest', 'ReleaseNumberInput'],
])('%s accepts a record with every field, and not a string', (component, record) => {
  const validate = validatorOf(`/components/schemas/${component}`);
  expectFit(validate, complete(record));
  expect(validate('text')).toBe(false);
});

test.each(described)('the fields of %s have the values that the document lists or shows', (record) => {
  const { fields }: DocumentRecord = documentTable[record];
  for (const [name, field] of Object.entries(document.components.schemas[record]?.properties ?? {})) {
    const { enum: oneOf, examples: shown } = field.items ?? field;
    const type = fields[name];
    const values = typeof type === 'object' ? type : {};
    expect({ oneOf, shown }, name).toEqual({ ...values, type: undefined });
  }
});

test.each(operationNames)('the response to %s fits', (name) => {
  const { path, method } = endpoints[name];
  const operation = `/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`;
  const response = `${operation}/responses/200/content/application~1json/schema`;
  expectFit(validatorOf(response), operations[name].response);
});

test.each(eventTypes)('a delivery of %s fits its webhook, and not without the secret', (type) => {
  const validate = validatorOf(`/webhooks/${type}/post/requestBody/content/application~1json/schema`);
  expectFit(validate, envelope(type));
  expect(validate({ type, payload: { ...envelope(type).payload, workspaceSecret: undefined } })).toBe(false);
});
