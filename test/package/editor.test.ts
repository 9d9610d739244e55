import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, inject, test } from 'vitest';
import { prepare } from './compile.js';

const MARK = /\/\*([a-z ]+)\*\/ ?/g;

/** The hover that an editor shows at a mark of `consumers/editor.ts`. */
let hover: (mark: string) => { readonly signature: string; readonly documentation: string };
/** The completions that it offers there. */
let completions: (mark: string) => readonly string[];

beforeAll(() => {
  const resolution = { packageType: 'module', module: 'nodenext', moduleResolution: 'nodenext' } as const;
  const directory = prepare({ consumer: inject('consumer'), name: 'editor.ts', resolution });
  const file = join(directory, 'editor.ts');
  const { text, marks } = withoutMarks(readFileSync(file, 'utf8'));
  const service = ts.createLanguageService(hostOf(file, text, settingsIn(directory)));
  const [error] = service.getSemanticDiagnostics(file);
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  const at = (mark: string): number => marks.get(mark) ?? expect.unreachable(`no mark ${mark}`);
  hover = (mark) => {
    const info = service.getQuickInfoAtPosition(file, at(mark));
    return {
      signature: ts.displayPartsToString(info?.displayParts),
      documentation: ts.displayPartsToString(info?.documentation),
    };
  };
  completions = (mark) =>
    service.getCompletionsAtPosition(file, at(mark), {})?.entries.map(({ name }) => name) ?? [];
});

function withoutMarks(text: string): { readonly text: string; readonly marks: ReadonlyMap<string, number> } {
  const marks = new Map<string, number>();
  let removed = 0;
  const rest = text.replaceAll(MARK, (mark, name: string, position: number) => {
    // Of a text, the editor is asked inside the quotes.
    const isText = text[position + mark.length] === "'";
    marks.set(name, position - removed + (isText ? 1 : 0));
    removed += mark.length;
    return '';
  });
  return { text: rest, marks };
}

function settingsIn(directory: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(directory, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  return ts.parseJsonConfigFileContent(config, ts.sys, directory).options;
}

function hostOf(file: string, text: string, options: ts.CompilerOptions): ts.LanguageServiceHost {
  const read = (path: string): string | undefined => (path === file ? text : ts.sys.readFile(path));
  return {
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const found = read(path);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => inject('consumer'),
    getCompilationSettings: () => options,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: read,
    directoryExists: (path) => ts.sys.directoryExists(path),
  };
}

test.each([
  ['method', '(method) ToolsResource.get(toolId: string, options?: RequestOptions): ApiPromise<Tool>'],
  ['resource', '(property) AgentPlatform.tools: Tools'],
  ['option', '(property) AgentPlatformOptions.region?: Region'],
  ['field', '(property) Tool.name?: string'],
  ['long field', '(property) ConversationIdentity.userID?: string'],
  ['payload', '(property) LeadCapturedPayload.leadEmail?: string'],
  ['payload of a type', '(property) BugReportedPayload.bugDescription: string'],
  [
    'receiver',
    'WebhookReceiver.on<"lead_captured">(type: "lead_captured", handler: (event: ReceivedEvent<"lead_captured"',
  ],
  ['fake', 'createFakePlatform(options?: FakePlatformOptions): FakePlatform'],
])('an editor shows what the %s is, and its documentation', (mark, signature) => {
  const shown = hover(mark);
  expect(shown.signature).toContain(signature);
  expect(shown.documentation).not.toBe('');
});

test('an editor names the event that a handler is given', () => {
  expect(hover('argument').signature).toContain(
    '(parameter) lead: ReceivedEvent<"lead_captured", LeadCapturedPayload>',
  );
});

test.each([
  ['method', ['get', 'listDefaults']],
  ['resource', ['orgs', 'variables', 'phoneNumbers', 'tools', 'conversations', 'workspaces', 'send']],
  ['region', ['eu', 'na']],
  ['field', ['id', 'name', 'serverUrl', 'channels']],
  ['open value', ['requested_chat', 'ai-chatting']],
  ['assignee', ['pending']],
  ['event type', ['lead_captured', 'conversation_updated', 'webhook_test']],
  ['handled type', ['lead_captured', 'conversation_updated', 'webhook_test']],
  ['payload of a type', ['bugDescription', 'channel', 'createdAt', 'imageUrl']],
  ['payload', ['leadEmail', 'leadName', 'channel', 'createdAt']],
])('an editor completes at the %s', (mark, names) => {
  expect(completions(mark)).toEqual(expect.arrayContaining(names));
});

test('an editor offers nothing that a record does not have', () => {
  expect(completions('payload')).not.toContain('workspaceSecret');
  expect(completions('field')).not.toContain('channel');
});
