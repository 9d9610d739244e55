import { appendFileSync, chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { failureOfDelivery } from '../testing/http/describe.js';
import type { RecordedWebhook } from '../testing/sending/recording.js';
import { formatIssues } from '../utils/issues.js';
import { redact } from '../utils/redact.js';
import { validateOwn } from '../validation/validate.js';
import { isWebhookEventType, webhookEvents } from '../webhooks/events.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { createWebhookReceiver } from '../webhooks/receiver.js';
import { SECRET_VARIABLE } from '../webhooks/secrets/variable.js';
import { type Command, parse, parseNumber, UsageError } from './command.js';
import { printDelivery, printEvent } from './lines.js';
import { listenError } from './listening.js';
import { parseTarget, post, readSecrets } from './sending.js';
import type { Terminal } from './terminal.js';

const LISTEN_HOST = '127.0.0.1';

/** Receives, verifies, prints, records and forwards webhooks. */
export const listen: Command = {
  summary: 'receive webhooks: print, record and forward them',
  help: `${SECRET_VARIABLE}=… agent-platform-sdk listen [options]

Receives webhooks at http://127.0.0.1:4020, on any path; use a tunnel to make it reachable for the service.
Verifies each one, and prints its type, the response, and every field that does not match the API specification.
The service has no automatic retry (6.4): record the events, and \`replay\` posts them as often as you need.

Options
  --forward-to <url>  posts each verified webhook to this address; responds with 200 if it does, else with 500
  --record <file>     appends each verified webhook to this file, as one line of JSON without secrets
  --verbose           prints the payloads, with marked fields masked
  --port <number>     the port to listen on (default: 4020; 0 takes any free port)

${SECRET_VARIABLE} may hold several secrets, separated by commas. A recording
contains names, addresses and messages of real people: protect it as personal data.`,
  async run(args, terminal) {
    const { values } = parse(args, {
      'forward-to': { type: 'string' },
      record: { type: 'string' },
      verbose: { type: 'boolean', default: false },
      port: { type: 'string', default: '4020' },
    });
    const { 'forward-to': target, record: file, verbose } = values;
    const port = parseNumber('--port', values.port, 0, 65_535);
    const secrets = readSecrets(terminal);
    const url = target === undefined ? undefined : parseTarget('--forward-to', target, terminal);
    if (file !== undefined) openRecording(file);
    const store = async (webhook: StoredWebhook): Promise<void> => {
      // Recorded before it is forwarded: a failing target must not lose it.
      if (file !== undefined) appendFileSync(file, recordLine(webhook));
      const more = describeIssues(webhook) + (verbose ? `\n${payloadText(webhook)}` : '');
      const { type: text, receivedAt: at } = webhook;
      if (url === undefined) return printEvent(terminal, { at, mark: 200, text, more });
      const delivery = await post(url, webhook, secrets[0]);
      const failure = failureOfDelivery(delivery);
      printDelivery(terminal, delivery, failure, more);
      // Not handled: the response is 500.
      if (failure !== undefined) throw refusedByTarget;
    };
    const receiver = createWebhookReceiver({ secret: secrets, logLevel: 'off', inbox: { store } })
      .onRejected(({ reason, status, hint }) => printFailure(terminal, status, reason, hint))
      .onError((error, { event }) => {
        if (error === refusedByTarget) return;
        printFailure(terminal, 500, event?.type ?? 'failed', (error as Error).message);
      });
    const server = createServer((request, response) => void receiver.node(request, response));
    const address = await startListening(server, port);
    const stopped = terminal.stopped();
    const lines = [`Webhooks are received at ${address}. Press Ctrl+C to stop.`];
    if (url !== undefined) lines.push(`Verified ones are posted to ${url}.`);
    if (file !== undefined) lines.push(`Verified ones are recorded in ${file}: protect it as personal data.`);
    terminal.out(lines.join('\n'));
    await stopped;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    return 0;
  },
};

function printFailure(terminal: Terminal, mark: number, text: string, failure = ''): void {
  printEvent(terminal, { at: Date.now(), mark, text, failure });
}

/** Printed with the delivery already. */
const refusedByTarget = new Error('refused by the target');

/** Creates a file, or continues one, that only its owner can read: it contains personal data. */
function openRecording(file: string): void {
  try {
    appendFileSync(file, '');
    chmodSync(file, 0o600);
  } catch (error) {
    throw new UsageError(`--record: ${(error as Error).message}`, { cause: error });
  }
}

function recordLine({ type, payload, receivedAt }: StoredWebhook): string {
  const recorded: RecordedWebhook = { type, payload, receivedAt };
  return `${JSON.stringify(redact(recorded))}\n`;
}

function payloadText({ payload }: StoredWebhook): string {
  return JSON.stringify(redact(payload), undefined, 2);
}

/** Lists the fields of a payload that do not match the API specification, one per line. */
function describeIssues({ type, payload }: StoredWebhook): string {
  if (!isWebhookEventType(type)) return '\n  - type: not in the API specification';
  const verdict = validateOwn(webhookEvents[type].payload, payload, 'strict');
  return verdict.ok ? '' : formatIssues(verdict.issues);
}

async function startListening(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, LISTEN_HOST, port) as Error));
    server.listen(port, LISTEN_HOST, resolve);
  });
  // A server that listens on a port has an address of this form.
  return `http://${LISTEN_HOST}:${(server.address() as AddressInfo).port}`;
}
