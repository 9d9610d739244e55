import ts from 'typescript';
import { beforeAll, expect, inject, test } from 'vitest';
import { prepare } from './compile.js';

/** What an editor shows for `name` where `code` first stands in the consumer's program. */
let hover: (code: string, name: string) => { signature: string; documentation: string };

beforeAll(() => {
  const { file, text, options } = prepare(inject('consumer'), 'program.ts', {
    packageType: 'module',
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
  });
  const probe = `${text}\nexport const probed = [(await readTool()).name, (await readConversation()).userID];\n`;
  const service = ts.createLanguageService(hostOf(file, probe, options));
  hover = (code, name) => {
    const at = probe.indexOf(code) + code.indexOf(name);
    const info = service.getQuickInfoAtPosition(file, at);
    return {
      signature: ts.displayPartsToString(info?.displayParts),
      documentation: ts.displayPartsToString(info?.documentation),
    };
  };
});

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
  ['a client method', 'platform.tools.get(', 'get'],
  ['a field of a record', '(await readTool()).name', 'name'],
  ['a field of a long record', '(await readConversation()).userID', 'userID'],
  ['an option', "region: 'eu'", 'region'],
  ['an error', 'AuthenticationError)', 'AuthenticationError'],
  ['a field of an error', 'error.status', 'status'],
  ['a method of the receiver', ".on('lead_captured'", 'on'],
  ['a field of an event', '.payload.createdAt', 'createdAt'],
  ['the fake', 'createFakePlatform();', 'createFakePlatform'],
])('an editor shows the documentation of %s', (_, code, name) => {
  expect(hover(code, name).documentation).not.toBe('');
});

test('an editor names the record that a method returns', () => {
  expect(hover('platform.tools.get(', 'get').signature).toContain('ApiPromise<Tool>');
});
