import { Server } from 'node:net';
import vm from 'node:vm';
import type { WebhookReceiver, WebhookReceiverOptions } from 'agent-platform-sdk';
import * as sdk from 'agent-platform-sdk';
import ts from 'typescript';
import { expect, vi } from 'vitest';
import { delivery, eventTypes } from '../webhooks/deliveries.js';
import type { CodeBlock } from './code-blocks.js';

type Program = (...args: readonly unknown[]) => Promise<void>;

/** Those that do are run by `npm run test:redis`. */
export const needsRedis = ({ code }: CodeBlock): boolean => /'agent-platform-sdk\/(redis|bullmq)'/.test(code);

/** What a block leaves behind, to be tried and to be ended. */
interface Traces {
  readonly receivers: { readonly receiver: WebhookReceiver; readonly secret: string }[];
  readonly tests: (() => unknown)[];
  readonly closers: (() => unknown)[];
}

/**
 * Runs one block as a program: what it imports is the package itself, what it only declares is a stub that answers
 * each call with `secret`, where it listens is any free port. Then the functions that it exports are called, the tests that
 * it has written are run, and every event is delivered to the receivers that it has made. Rejects with what went wrong.
 */
export async function runBlock(block: CodeBlock, secret: string): Promise<void> {
  const traces: Traces = { receivers: [], tests: [], closers: [] };
  const listening = listenAnywhere(traces);
  try {
    const names = declaredNames(block.code);
    const program = compiled(block, names);
    const stubs = names.map(() => stub(secret));
    const exported: Record<string, unknown> = {};
    await program(await importerFor(block, traces, secret), exported, ...stubs);
    for (const value of Object.values(exported)) await tryOut(value, secret);
    for (const run of traces.tests) await run();
    for (const { receiver, secret: own } of traces.receivers) await deliverAll(receiver, own);
  } finally {
    listening.mockRestore();
    for (const close of traces.closers) await close();
  }
}

/** Calls an exported function that takes nothing, or the body of a delivery. */
async function tryOut(exported: unknown, workspaceSecret: string): Promise<void> {
  if (typeof exported !== 'function') return;
  const call = exported as (body?: string) => unknown;
  if (call.length === 0) await call();
  if (!/^(async )?function \w+\(body\)/.test(String(call))) return;
  for (const type of eventTypes) await call(delivery(type, { workspaceSecret }));
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
  if (name === 'agent-platform-sdk/redis') return closing(await import('agent-platform-sdk/redis'), traces);
  if (name === 'agent-platform-sdk/bullmq') return closing(await import('agent-platform-sdk/bullmq'), traces);
  if (name === 'vitest' || name === 'node:test') return { expect, test: collecting(traces) };
  return (await (OWN[name]?.() ?? import(name))) as object;
}

/** Written out, so that their names lead to `src`. */
const OWN: Readonly<Record<string, () => Promise<object>>> = {
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

interface Closable {
  close(): unknown;
}

/** The functions of a module, which make what has to be closed. */
function closing(module: object, { closers }: Traces): object {
  // `createRedisDedupe` and `createBullMQInbox` are all that these modules export beside types.
  const makers = Object.entries(module) as [string, (options: unknown) => Closable][];
  const remembering = (make: (options: unknown) => Closable) => (options: unknown) => {
    const made = make(options);
    closers.push(() => made.close());
    return made;
  };
  return Object.fromEntries(makers.map(([name, make]) => [name, remembering(make)]));
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
function listenAnywhere({ closers }: Traces) {
  const listen = Server.prototype.listen;
  return vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    closers.push(() => this.close());
    const callback = args.find((arg) => typeof arg === 'function');
    // A function among the arguments of `listen` is its callback.
    return listen.call(this, { port: 0, host: '127.0.0.1' }, callback as (() => void) | undefined);
  });
}
