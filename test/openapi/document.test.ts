import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import * as sdk from 'agent-platform-sdk';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { openApiText } from '../../scripts/openapi/document.js';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, { readonly description?: string; readonly $ref?: string }>>;
}
interface Document {
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: unknown;
  };
}

const committed = readFileSync('openapi.json', 'utf8');
const document = JSON.parse(committed) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

describe('what is committed', () => {
  let text = '';
  beforeAll(() => {
    text = openApiText();
  }, 60_000);

  test('openapi.json is what `npm run openapi` writes', () => {
    expect(committed).toBe(text);
  });

  test('the types that openapi-typescript makes of it are this package’s own', async () => {
    expect(
      problemsOf('test/openapi/agreement.ts', { generated: astToString(await openapiTS(text)) }),
    ).toEqual([]);
  }, 120_000);
});

/** Compiles a file beside others that are in memory alone, by their names. */
function problemsOf(file: string, beside: Readonly<Record<string, string>>): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const host = ts.createCompilerHost(options);
  const inMemory = (name: string) => beside[basename(name, '.ts')];
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => inMemory(name) !== undefined || fileExists(name);
  host.getSourceFile = (name, target, ...rest) => {
    const text = inMemory(name);
    return text === undefined
      ? getSourceFile(name, target, ...rest)
      : ts.createSourceFile(name, text, target);
  };
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('the linter finds nothing', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // The document names no license of the service.
      'info-license': 'off',
      // It says that any operation can answer an error body, and shows the status of one error alone.
      'operation-4xx-response': 'off',
    },
  });

  const problems = await lintFromString({ source: committed, absoluteRef: 'openapi.json', config });

  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test.each(Object.entries(sdk.endpoints))(
  '%s is there, as its endpoint says',
  (key, { method, path, body }) => {
    const operation = operations.find(({ operationId }) => operationId === key);

    expect(operation).toMatchObject({ method: method.toLowerCase(), path });
    expect(operation?.requestBody !== undefined).toBe(body !== undefined);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect((operation?.parameters ?? []).map(({ name }) => name)).toEqual(names);
    expect(operation?.responses).toHaveProperty('default');
  },
);

test('every operation asks for the token, and no webhook does: its secret is in the payload', () => {
  const { security, components, webhooks } = document;
  expect(security).toEqual([{ bearer: [] }]);
  expect(components.securitySchemes).toMatchObject({ bearer: { type: 'http', scheme: 'bearer' } });
  expect(operations.filter((operation) => 'security' in operation)).toEqual([]);
  expect(Object.keys(webhooks)).not.toEqual([]);
  for (const { post } of Object.values(webhooks)) {
    expect(post).toMatchObject({
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              required: ['type', 'payload'],
              properties: {
                payload: {
                  allOf: [
                    expect.anything(),
                    { properties: { workspaceSecret: { type: 'string' } }, required: ['workspaceSecret'] },
                  ],
                },
              },
            },
          },
        },
      },
    });
  }
});

test('no record of the service has a field for the secret, and no example shows a token', () => {
  expect(JSON.stringify(document.components.schemas)).not.toContain('workspaceSecret');
  expect(committed).not.toMatch(/Bearer [\w-]/);
});

test('states no status that the document does not show', () => {
  const shown = operations.map(({ operationId, responses }) => [operationId, Object.keys(responses)]);

  expect(Object.fromEntries(shown)).toEqual({
    listMembersAndTeams: ['200', 'default'],
    createVariable: ['400', '2XX', 'default'],
    releasePhoneNumber: ['2XX', 'default'],
    listDefaultTools: ['2XX', 'default'],
    getTool: ['2XX', 'default'],
    getConversation: ['2XX', 'default'],
    deleteWorkspace: ['2XX', 'default'],
  });
});

test('has every event, with a payload that is a component', () => {
  expect(Object.keys(document.webhooks)).toEqual(Object.keys(sdk.webhookEvents));
  const references = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w*)/g)];
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty([String(name)]);
});

test('has every record and payload that the package exports', () => {
  const exported = Object.keys(sdk)
    .filter((name) => /^[A-Z].*Schema$/.test(name))
    .map((name) => name.slice(0, -'Schema'.length));
  // These are in the bodies of operations, or are a list of values inside a record.
  const elsewhere = [
    'CreateVariableBody',
    'Envelope',
    'EventChannel',
    'MembersAndTeams',
    'MembersAndTeamsResponse',
    'MessageChannel',
    'ReleaseNumberInput',
    'ReleaseNumberResult',
  ];

  const missing = exported.filter((name) => !Object.hasOwn(document.components.schemas, name));
  expect(missing.sort()).toEqual(elsewhere);
});

test('says of every record and field what the document says', () => {
  const silent: string[] = [];
  for (const [name, { description, properties = {} }] of Object.entries(document.components.schemas)) {
    if (/(Request|Response)$/.test(name) && name !== 'CannedResponse') continue;
    if (description === undefined) silent.push(name);
    for (const [field, about] of Object.entries(properties)) {
      if (about.description === undefined) silent.push(`${name}.${field}`);
    }
  }

  expect(silent).toEqual([]);
});
