import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Endpoint,
  endpoint,
  endpoints,
  type PageShape,
  ReleaseNumberInputSchema,
  ToolSchema,
  type WebhookEventType,
  webhookEvents,
  withPage,
} from 'agent-platform-sdk';
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { components } from '../../scripts/openapi/components.js';
import { openApiText } from '../../scripts/openapi/document.js';
import { paths } from '../../scripts/openapi/operations.js';
import { readWords } from '../../scripts/openapi/words.js';
import { operationNames, operations } from '../endpoints/operations.js';
import { type DocumentRecord, documentTable } from '../schemas/document-table.js';
import { clientOf, send } from '../testing/support/client.js';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
  }[];
  readonly requestBody?: unknown;
  readonly responses?: Readonly<Record<string, { readonly content: unknown }>>;
}
interface Schema {
  readonly properties: Readonly<
    Record<string, { readonly description?: string; readonly 'x-choice'?: true }>
  >;
  readonly required?: readonly string[];
}
interface Document {
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: object }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Partial<Schema>>> };
}

const committed = readFileSync('openapi.json', 'utf8');
const document = JSON.parse(committed) as Document;
const eventTypes = Object.keys(webhookEvents) as WebhookEventType[];

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  keywords: ['webhooks', 'x-choice'],
});
ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']);
ajv.addSchema(document, 'openapi.json');

/** The validator of a place in the document. Throws for a wrong schema or a dangling reference. */
const validatorOf = (pointer: string): ValidateFunction => ajv.compile({ $ref: `openapi.json#${pointer}` });

// It takes seconds, so it's done once.
const words = readWords('src/index.ts');

test('openapi.json is what `npm run openapi` writes', () => {
  expect(committed).toBe(openApiText(words));
});

/** The parameters of an endpoint, by their place. */
function parametersOf({ path, query }: Endpoint): { readonly name: string; readonly in: string }[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ name, in: 'path' }));
  const fields = Object.keys((query as { readonly shape?: object } | undefined)?.shape ?? {});
  return [...names, ...fields.map((name) => ({ name, in: 'query' }))];
}

test.each(Object.entries<Endpoint>(endpoints))('%s is described as it is declared', (name, endpoint) => {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
  expect(operation?.operationId).toBe(name);
  expect(operation?.requestBody !== undefined).toBe(endpoint.body !== undefined);
  const parameters = (operation?.parameters ?? []).map(({ name, in: place }) => ({ name, in: place }));
  expect(parameters).toEqual(parametersOf(endpoint));
});

test('a query and a page are described as they are declared', () => {
  // No documented operation has one, so an exported record is the query.
  const listTools = endpoint({
    method: 'GET',
    path: '/agents/{agentId}/tools',
    query: ReleaseNumberInputSchema,
    response: withPage(ToolSchema, { data: 'items', cursor: 'phoneNumberSid' }),
  });
  const about = { ...words.operation('getTool'), parameter: () => 'Agent id.' };
  const described = paths({ ...words, operation: () => about }, { listTools });
  const { parameters } = (described[listTools.path] as { readonly get: Operation }).get;
  expect(parameters).toMatchObject(parametersOf(listTools));
  expect(parameters?.at(-1)).toMatchObject({
    name: 'isImportedNumber',
    required: true,
    schema: { type: 'boolean' },
  });
  for (const { description } of parameters ?? []) expect(description).toEqual(expect.any(String));
  const schemas = components(described, words, { listTools });
  expect(schemas.ListToolsResponse).toMatchObject({
    required: ['success', 'message', 'items'],
    properties: {
      items: { type: 'array', items: { $ref: '#/components/schemas/Tool' }, 'x-choice': true },
      nextCursor: { description: expect.any(String) },
      hasMore: { type: 'boolean', description: expect.any(String) },
    },
  });
}, 60_000);

test.each(Object.keys(document.paths))(
  '%s has a 200, and no range: generators know none, or fail',
  (path) => {
    for (const { responses = {} } of Object.values(document.paths[path] ?? {})) {
      expect(Object.keys(responses)[0]).toBe('200');
      expect(Object.keys(responses)).not.toContain('2XX');
    }
  },
);

/** A module with an operation that the specification does not show. */
const undocumented = `
export const endpoints = {
  /**
   * Lists all tools of a workspace.
   *
   * @undocumented
   */
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
  const folder = mkdtempSync(join(tmpdir(), 'words-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'index.ts');
  writeFileSync(file, undocumented);
  const read = readWords(file);
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

/** The objects with `properties` in a part of the document, by their place in it. */
function objectsIn(part: unknown, place: string): readonly (readonly [place: string, schema: Schema])[] {
  if (typeof part !== 'object' || part === null) return [];
  const inside = Object.entries(part).flatMap(([key, value]) => objectsIn(value, `${place}/${key}`));
  // `properties` of a schema; no record has a field of this name.
  return 'properties' in part ? [[place, part as Schema], ...inside] : inside;
}

test('every field of every body has a description', () => {
  const fields = objectsIn(document, '').flatMap(([place, { properties }]) =>
    Object.entries(properties).map(([name, field]) => ({ place: `${place}/${name}`, field })),
  );
  expect(fields.length).toBeGreaterThan(400);
  expect(fields.filter(({ field }) => !field.description).map(({ place }) => place)).toEqual([]);
});

test('the fields that are required by a choice are marked, and no other', () => {
  const { Envelope, CreateVariableBody, ReleaseNumberInput, ReleaseNumberResult } = documentTable;
  const chosenOf = { data: [...Envelope.chosen, 'data'], none: Envelope.chosen, fields: [], body: [] };
  const responses = Object.entries<Endpoint>(endpoints).map(([name, { response }]) => {
    const { page } = response as Partial<PageShape<unknown, unknown, string>>;
    const chosen = page === undefined ? chosenOf[response.kind] : [...Envelope.chosen, page.data];
    return [`${name[0]?.toUpperCase()}${name.slice(1)}Response`, chosen];
  });
  const bodies: Readonly<Record<string, readonly string[]>> = {
    ...Object.fromEntries(responses),
    CreateVariableRequest: CreateVariableBody.chosen,
    ReleasePhoneNumberRequest: ReleaseNumberInput.chosen,
    ReleasePhoneNumberResponse: ReleaseNumberResult.chosen,
  };
  const records: Readonly<Record<string, DocumentRecord | undefined>> = documentTable;
  for (const [name, { properties = {}, required = [] }] of Object.entries(document.components.schemas)) {
    const marked = Object.keys(properties).filter((field) => properties[field]?.['x-choice']);
    const chosen = bodies[name] ?? records[name]?.chosen ?? [];
    expect([name, new Set(marked)]).toEqual([name, new Set(chosen)]);
    expect(required).toEqual(expect.arrayContaining(marked));
  }
});

test('operations need a token, webhooks do not', () => {
  expect(document.security).toEqual([{ bearer: [] }]);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  expect(operations.filter((operation) => 'security' in operation)).toEqual([]);
  expect(Object.keys(document.webhooks)).toEqual(eventTypes);
  for (const { post } of Object.values(document.webhooks)) expect(post).toMatchObject({ security: [] });
});

test.each([
  ['OrgClient', fixtures.orgClient()],
  ['Team', fixtures.team()],
  ['Variable', fixtures.variable()],
  ['Tool', fixtures.tool()],
  ['DefaultTool', fixtures.defaultTool()],
  ['Conversation', fixtures.conversation()],
  ['CreateVariableRequest', { variable: fixtures.variableInput() }],
  ['ReleasePhoneNumberRequest', { workspaceId: 'w', phoneNumberSid: 's', isImportedNumber: true }],
])('%s accepts a record with every field, and not a string', (name, record) => {
  const validate = validatorOf(`/components/schemas/${name}`);
  expect([validate(record), validate.errors]).toEqual([true, null]);
  expect(validate('text')).toBe(false);
});

test.each(operationNames)('the response of the fake to %s fits', async (name) => {
  const fake = createFakePlatform();
  let sent: unknown;
  const fetch: typeof fake.fetch = async (url, init) => {
    const response = await fake.fetch(url, init);
    sent = await response.clone().json();
    return response;
  };
  await operations[name].call(clientOf(fake, { fetch }), fake.seed.eu);
  const operation = `paths/${endpoints[name].path.replaceAll('/', '~1')}/${endpoints[name].method.toLowerCase()}`;
  const validate = validatorOf(`/${operation}/responses/200/content/application~1json/schema`);
  expect([validate(sent), validate.errors]).toEqual([true, null]);
});

test('an error of the fake fits', async () => {
  const fake = createFakePlatform();
  const response = await send(fake, `/v3/workspaces/${fake.seed.eu.workspaceId}`, { method: 'DELETE' });
  const validate = validatorOf('/components/schemas/ErrorBody');
  expect([validate(await response.json()), validate.errors]).toEqual([true, null]);
});

test.each(eventTypes)('a delivery of %s fits its webhook, and not without the secret', (type) => {
  const validate = validatorOf(`/webhooks/${type}/post/requestBody/content/application~1json/schema`);
  expect([validate(fixtures.delivery(type, 'fake-secret')), validate.errors]).toEqual([true, null]);
  expect(validate(fixtures.event(type))).toBe(false);
});
