import { REGIONS } from '../ground/regions.js';
import { VERSION } from '../ground/version.js';
import { createFakePlatform, type FakePlatform } from '../testing/fake.js';
import type { FakeServer } from '../testing/http-server.js';
import { type Command, HELP, parseCommand, UsageError } from './options.js';
import { deliveryLine, greeting, requestLine } from './report.js';
import { readSeedFile } from './seed-file.js';

/** What the command speaks to, and what ends it. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  /** Resolves when the user ends the command. */
  stopped(): Promise<void>;
}

/** Runs the command. Resolves with the exit code: 0, 1 when it failed, 2 when the command line is wrong. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const command = parseCommand(args);
    if (command.kind === 'fake') return await runFake(command, terminal);
    terminal.out(command.kind === 'help' ? HELP : VERSION);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.error(`${error.message}\nagent-platform-sdk --help tells more.`);
      return 2;
    }
    terminal.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

type FakeCommand = Extract<Command, { readonly kind: 'fake' }>;

async function runFake(command: FakeCommand, terminal: Terminal): Promise<number> {
  const fake = prepareFake(command, terminal);
  const server = await listen(fake, command);
  // Before the greeting: who reads it may end the command at once.
  const stopped = terminal.stopped();
  terminal.out(greeting(fake, server));
  await stopped;
  await server.close();
  return 0;
}

function prepareFake({ seed, webhooks }: FakeCommand, terminal: Terminal): FakePlatform {
  const fake = makeFake(seed, (line) => terminal.out(line));
  for (const url of webhooks) {
    for (const region of REGIONS) fake.webhooks.subscribe(url, { region });
  }
  return fake;
}

function makeFake(seed: string | undefined, log: (line: string) => void): FakePlatform {
  const regions = seed === undefined ? {} : readSeedFile(seed);
  try {
    return createFakePlatform({
      regions,
      onRequest: (request) => log(requestLine(request)),
      onDelivery: (delivery) => log(deliveryLine(delivery)),
    });
  } catch (error) {
    // A record names one that is not there.
    throw new UsageError(`--seed: ${seed}: ${(error as Error).message}`, { cause: error });
  }
}

async function listen(fake: FakePlatform, { port, host }: FakeCommand): Promise<FakeServer> {
  try {
    return await fake.listen({ port, host, control: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem =
      code === 'EADDRINUSE'
        ? `Port ${port} is in use. Choose another with --port, or 0 for any free one.`
        : `Cannot listen at ${host}:${port}: ${message}`;
    throw new Error(problem, { cause: error });
  }
}
