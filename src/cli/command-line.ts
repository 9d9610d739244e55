import { parseArgs } from 'node:util';

/** A command with its options, as the command line asks for it. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'fake';
      readonly port: number;
      readonly host: string;
      /** Path of a file with records to begin with. */
      readonly seed: string | undefined;
      /** Addresses that get every event. */
      readonly webhooks: readonly string[];
    };

/** The command line is wrong: the message says what to change. */
export class UsageError extends Error {}

export const HELP = `agent-platform-sdk fake [options]

Runs a fake of the Conversational Agent Platform REST API (V3) on this machine, in memory, in both regions.

Options
  --port <number>    where to listen (default: 4010; 0 takes any free port)
  --host <address>   which address to listen on (default: 127.0.0.1, this machine alone)
  --seed <file>      a JSON file with records to begin with, beside the built-in ones:
                     { "eu": { "agents": [{ "id": "bot" }], "tools": [{ "id": "crm", "agentId": "bot" }] } }
  --webhook <url>    an address that gets every event of both regions' primary workspaces; can be repeated
  --help, --version

While it runs
  POST   /_fake/events          send an event         {"type": "lead_captured", "overrides": {"leadName": "Dana"}}
  POST   /_fake/subscriptions   add a subscriber      {"url": "http://127.0.0.1:3000/webhooks", "events": ["lead_captured"]}
  POST   /_fake/faults          let calls go wrong    {"endpoint": "getTool", "status": 503, "times": 2}
  DELETE /_fake/faults          take all faults away
  POST   /_fake/reset           begin again
  GET    /_fake/requests, GET /_fake/deliveries
Bodies are application/json.`;

/** @throws {UsageError} When a command, a flag or a value is wrong. */
export function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parsed(args);
  if (values.help === true) return { kind: 'help' };
  if (values.version === true) return { kind: 'version' };
  const [name, ...rest] = positionals;
  if (name === undefined) throw new UsageError('Say which command: fake.');
  if (name !== 'fake') throw new UsageError(`There is no command "${name}". There is: fake.`);
  if (rest.length > 0) throw new UsageError(`"${rest.join(' ')}" is not expected after "fake".`);
  const { port = '4010', host = '127.0.0.1', seed, webhook = [] } = values;
  return { kind: 'fake', port: portOf(port), host, seed, webhooks: webhook.map(addressOf) };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        seed: { type: 'string' },
        webhook: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    // `parseArgs` throws Errors that name the flag in their first sentence; the rest is about positionals.
    const [sentence] = (error as Error).message.split(/(?<=\.)\s/);
    throw new UsageError(sentence ?? '', { cause: error });
  }
}

function portOf(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535)
    throw new UsageError(`--port takes a number from 0 to 65535, got "${text}".`);
  return port;
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw new UsageError(`--webhook takes an http: or https: address, got "${text}".`);
}
