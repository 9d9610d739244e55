import type { Change } from '../change.js';

const WORKSPACE = `import { requiredText, text } from './leaf.js';
import { openObject } from './object.js';

/** A workspace (document, 2.8). */
export interface Workspace {
  /** Workspace id. */
  id: string;
  /** Name of the workspace. */
  name?: string | undefined;
}

/** Schema of {@link Workspace}. */
export const WorkspaceSchema = openObject({
  id: requiredText,
  name: text,
});
`;

const DECLARATION = `
/** Retrieves a workspace: \`GET /workspaces/{id}\` (document, 4.8). */
export const getWorkspace = endpoint({
  method: 'GET',
  path: '/workspaces/{id}',
  response: withRecord(documented<Workspace>(WorkspaceSchema)),
});
`;

const METHOD = `
  /**
   * Retrieves a workspace (document, 4.8).
   *
   * @param workspaceId - The workspace's id.
   *
   * @example
   * \`\`\`ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * console.log((await platform.workspaces.get('workspace_1')).name);
   * \`\`\`
   */
  get(workspaceId: string, options?: RequestOptions): ApiPromise<Workspace> {
    return this.#send(getWorkspace, { path: { id: workspaceId } }, options);
  }
`;

const HANDLER = `  getWorkspace({ path, state, choices }) {
    const { id } = found(state.workspaces.get(path.id), 'workspace', path.id);
    return { ...succeeded(choices), data: { id } };
  },

`;

const ABOUT = `  getWorkspace: {
    tag: 'Workspaces',
    summary: 'Get a workspace',
    description: 'Returns the workspace (4.8).',
    success: '2XX',
  },
`;

const EXPECTED = `  getWorkspace: {
    call: 'GET /workspaces/{id}',
    body: undefined,
    answer: { ...envelope, data: complete('Workspace') },
    result: complete('Workspace'),
  },
`;

const RELIABLE = `  getWorkspace: {
    method: 'GET',
    call: (platform, options) => platform.workspaces.get('w1', options),
    body: envelope({ id: 'w1' }),
    value: { id: 'w1' },
  },
`;

const CALL_TEST = `test('workspaces.get returns the workspace', async () => {
  const { platform, server } = await connectTo(answerWith(200, success({ id: 'w1', name: 'Shop' })));
  expect(await platform.workspaces.get('w1')).toEqual({ id: 'w1', name: 'Shop' });
  expect(server.requests[0]).toMatchObject({ method: 'GET', url: '/v3/workspaces/w1' });
});

`;

const FAKE_TEST = `describe('a workspace (4.8)', () => {
  test('is read by its id', async () => {
    const fake = createFakePlatform();
    const { workspaceId } = fake.seed.eu;

    expect(await clientOf(fake).workspaces.get(workspaceId)).toEqual({ id: workspaceId });
  });
});

`;

/** An eighth operation, with a record of its own: `GET /workspaces/{id}`. */
export const operation: Change = {
  heading: 'To add an operation',
  edits: [
    { file: 'src/schemas/workspace.ts', text: WORKSPACE },
    {
      file: 'src/index.ts',
      before: "export type { ValidationMode } from './validation.js';",
      insert: "export { type Workspace, WorkspaceSchema } from './schemas/workspace.js';\n",
    },
    {
      file: 'src/endpoints/endpoints.ts',
      before: "import type { StandardSchemaV1 } from './standard-schema.js';",
      insert: "import { type Workspace, WorkspaceSchema } from './schemas/workspace.js';\n",
    },
    { file: 'src/endpoints/endpoints.ts', after: '  response: withoutData(),\n});\n', insert: DECLARATION },
    {
      file: 'src/endpoints/endpoints.ts',
      after: '  deleteWorkspace,\n',
      insert: '  /** Retrieves a workspace (document, 4.8). */\n  getWorkspace,\n',
    },
    {
      file: 'src/client/resources/workspaces.ts',
      before: "import type { RequestOptions } from '../options.js';",
      insert: "import { getWorkspace } from '../endpoints.js';\n",
    },
    {
      file: 'src/client/resources/workspaces.ts',
      before: "import type { Send } from '../transport.js';",
      insert: "import type { Workspace } from '../schemas/workspace.js';\n",
    },
    {
      file: 'src/client/resources/workspaces.ts',
      after: '    return this.#send(deleteWorkspace, { path: { id: workspaceId } }, options);\n  }\n',
      insert: METHOD,
    },
    { file: 'src/testing/operations.ts', before: '  deleteWorkspace({', insert: HANDLER },
    { file: 'scripts/openapi/operations.ts', before: '  deleteWorkspace: {', insert: ABOUT },
    {
      file: 'scripts/openapi/components.ts',
      before: '  Conversation: ConversationSchema,',
      insert: '  Workspace: WorkspaceSchema,\n',
    },
    {
      file: 'scripts/openapi/components.ts',
      before: "import { AgentEventPayloadSchema } from '../webhooks/payloads/agent.js';",
      insert: "import { WorkspaceSchema } from '../schemas/workspace.js';\n",
    },
    {
      file: 'test/schemas/document-table.ts',
      before: "  Envelope: open('2.7'",
      insert: "  Workspace: open('2.8', ['id'], each('string', 'id, name')),\n",
    },
    {
      file: 'test/schemas/records.test-d.ts',
      before: '  VoiceprovCall: sdk.VoiceprovCall;',
      insert: '  Workspace: sdk.Workspace;\n',
    },
    { file: 'test/endpoints/endpoints.test.ts', before: '  deleteWorkspace: {', insert: EXPECTED },
    {
      file: 'test/openapi/document.test.ts',
      before: "    deleteWorkspace: ['2XX', 'default'],",
      insert: "    getWorkspace: ['2XX', 'default'],\n",
    },
    {
      file: 'test/reliability/support/operations.ts',
      before: '  deleteWorkspace: {',
      insert: RELIABLE,
    },
    { file: 'test/client/calls.test.ts', before: "test('conversations.get takes", insert: CALL_TEST },
    { file: 'test/testing/operations.test.ts', before: "describe('variables (4.2)'", insert: FAKE_TEST },
  ],
  demanded: [
    'scripts/openapi/operations.ts',
    'src/testing/operations.ts',
    'test/endpoints/endpoints.test.ts',
    'test/reliability/support/operations.ts',
    'test/schemas/records.test-d.ts',
  ],
  tests: [
    'test/endpoints/endpoints.test.ts',
    'test/client/calls.test.ts',
    'test/testing/operations.test.ts',
    'test/schemas',
    'test/openapi',
  ],
};
