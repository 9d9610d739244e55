import { Server } from 'node:net';
import vm from 'node:vm';
import * as sdk from 'agent-platform-sdk';
import type { WebhookReceiver, WebhookReceiverOptions } from 'agent-platform-sdk';
import ts from 'typescript';
import { expect, vi } from 'vitest';
import { delivery, eventTypes } from '../webhooks/deliveries.js';
import type { CodeBlock } from './code-blocks.js';

type Program = (...args: readonly unknown[]) => Promise<void>;

/** What a block leaves behind, to be tried and to be ended. */
interface Traces {
  readonly receivers: { readonly receiver: WebhookReceiver; readonly secret: string }[];
  readonly tests: (() => unknown)[];
  readonly servers: Server[];
}

/**
 * Runs one block as a program: what it imports is the package itself, what it only declares is a stub that answers
 * each call with `secret`, where it listens is any free port. Then every event is delivered to the receivers that it has
 * made, and the tests are run that it has written. Rejects with what went wrong.
 */
export async function runBlock(block: CodeBlock, secret: string): Promise<void> {
  const traces: Traces = { receivers: [], tests: [], servers: [] };
  const listening = listenAnywhere(traces.servers);
  try {
    const names = declaredNames(block.code);
    const program = compiled(block, names);
    const stubs = names.map(() => stub(secret));
    await program(await importerFor(block, traces, secret), {}, ...stubs);
    for (const run of traces.tests) await run();
    for (const { receiver, secret: own } of traces.receivers) await deliverAll(receiver, own);
  } finally {
    listening.mockRestore();
    for (const server of traces.servers) server.close();
  }
}

/** As CommonJS, which can be given what it imports. Its lines are not those of the document. */
function compiled({ document, line, code }: CodeBlock, names: readonly string[]): Program {
  const { outputText } = ts.transpileModule(code.trimStart(), {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      esModuleInterop: true,
    },
  });
  const parameters = ['require', 'exports', ...names].join(', ');
  // A script that is a function of these parameters.
  return vm.runInThisContext(`(async (${parameters}) => { ${outputText}\n})`, {
    filename: `${document}:${line}`,
  }) as Program;
}

function declaredNames(code: string): string[] {
  const { statements } = ts.createSourceFile('block.ts', code, ts.ScriptTarget.ES2022, true);
  return statements.filter(isDeclared).flatMap((statement) => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    }
    return ts.isFunctionDeclaration(statement) && statement.name ? [statement.name.text] : [];
  });
}

function isDeclared(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword);
}

/** A function whose every property is such a function. */
function stub(answer: string): unknown {
  return new Proxy(() => answer, {
    get: (_target, key) => (key === 'then' ? undefined : stub(answer)),
  });
}

/** `require` for what the block imports, all of it loaded before. */
async function importerFor({ code }: CodeBlock, traces: Traces, secret: string) {
  const modules = new Map<string, object>();
  for (const { fileName } of ts.preProcessFile(code).importedFiles) {
    // Marked as what it is, so that `esModuleInterop` takes its default export for one.
    modules.set(fileName, { __esModule: true, ...(await load(fileName, traces, secret)) });
  }
  return (name: string) => modules.get(name);
}

async function load(name: string, traces: Traces, secret: string): Promise<object> {
  if (name === 'agent-platform-sdk') return { ...sdk, createWebhookReceiver: recording(traces, secret) };
  if (name === 'vitest') return { expect, test: collecting(traces) };
  return (await (OWN[name]?.() ?? import(name))) as object;
}

/** Written out, so that their names lead to `src`. */
const OWN: Readonly<Record<string, () => Promise<object>>> = {
  'agent-platform-sdk/bullmq': () => import('agent-platform-sdk/bullmq'),
  'agent-platform-sdk/redis': () => import('agent-platform-sdk/redis'),
  'agent-platform-sdk/testing': () => import('agent-platform-sdk/testing'),
  'agent-platform-sdk/testing/msw': () => import('agent-platform-sdk/testing/msw'),
};

/** `test` and `test.each`, for as much as the documentation uses of them. */
function collecting({ tests }: Traces) {
  const test = (_name: string, run: () => unknown) => tests.push(run);
  const each = (rows: readonly unknown[]) => (_name: string, run: (row: unknown) => unknown) =>
    tests.push(...rows.map((row) => () => run(row)));
  return Object.assign(test, { each });
}

function recording({ receivers }: Traces, secret: string) {
  return (options: WebhookReceiverOptions): WebhookReceiver => {
    const receiver = sdk.createWebhookReceiver(options);
    receivers.push({ receiver, secret: oneOf(options.secret) ?? secret });
    return receiver;
  };
}

/** A secret that the receiver accepts; undefined where a function decides. */
function oneOf(secrets: WebhookReceiverOptions['secret']): string | undefined {
  if (typeof secrets === 'function') return undefined;
  const [first] = typeof secrets === 'string' ? [secrets] : Object.values(secrets).flat();
  return first;
}

async function deliverAll(receiver: WebhookReceiver, workspaceSecret: string): Promise<void> {
  for (const type of eventTypes) {
    const { status } = await receiver.handle({ method: 'POST', body: delivery(type, { workspaceSecret }) });
    if (status !== 200) throw new Error(`the receiver of this block answers ${type} with ${status}`);
  }
}

/** Every server listens at a free port of this machine, whichever port it asks for. */
function listenAnywhere(servers: Server[]) {
  const listen = Server.prototype.listen;
  return vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    servers.push(this);
    const callback = args.find((arg) => typeof arg === 'function');
    // A function among the arguments of `listen` is its callback.
    return listen.call(this, { port: 0, host: '127.0.0.1' }, callback as (() => void) | undefined);
  });
}
