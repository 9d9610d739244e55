import { appendFileSync, chmodSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatIssues } from '../ground/issues.js';
import { onOneLine } from '../ground/printable.js';
import { redact } from '../ground/redact.js';
import type { RecordedWebhook } from '../testing/recording.js';
import { validateOwn } from '../validation/validate.js';
import { isWebhookEventType, webhookEvents } from '../webhooks/events.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { createWebhookReceiver } from '../webhooks/receiver.js';
import { command, listenProblem, portOf, UsageError } from './command.js';
import { post, SECRET_VARIABLE, secretOf, showDelivery, targetOf } from './webhooks.js';

/** Receives webhooks, verifies and shows them, and passes them on or records them: the service posts each only once. */
export const listenCommand = command({
  name: 'listen',
  summary: 'receive webhooks: show, record and forward them',
  help: `${SECRET_VARIABLE}=… agent-platform-sdk listen [options]

Receives the webhooks of the service at http://127.0.0.1:4020 (any path; make it reachable with a tunnel), verifies each, shows its
type, the answer to it, how long that took, and where it departs from the specification. The service posts each event once and never
again: record them, and \`replay\` posts them as often as you need.

Options
  --forward-to <url>   posts each genuine webhook there, and answers as it is answered: 200, or 500 for anything else
  --record <file>      appends each genuine webhook to this file, a line of JSON each, without the secret
  --unmasked           records marked fields as they came; without it they are masked
  --port <number>      where to listen (default: 4020; 0 takes any free port)
  --host <address>     which address to listen on (default: 127.0.0.1, this machine alone)

A recording holds names, addresses and messages of real people: keep it as you keep them.`,
  flags: {
    'forward-to': { type: 'string' },
    record: { type: 'string' },
    unmasked: { type: 'boolean', default: false },
    port: { type: 'string', default: '4020' },
    host: { type: 'string', default: '127.0.0.1' },
  },
  async run({ 'forward-to': target, record, unmasked, port, host }, terminal) {
    const secret = secretOf(terminal);
    const url = target === undefined ? undefined : targetOf('--forward-to', target, terminal);
    const file = record === undefined ? undefined : openRecording(record);
    const receiver = createWebhookReceiver({
      secret,
      logLevel: 'off',
      inbox: {
        // Recorded before it is passed on: what the target does with it must not lose it.
        async store(webhook: StoredWebhook) {
          if (file !== undefined) appendFileSync(file, recordLine(webhook, unmasked));
          if (url === undefined)
            return terminal.out(`${onOneLine(webhook.type)} 200${issuesOf(webhook)}`, 'good');
          const delivery = await post(url, webhook, secret);
          const isAccepted = delivery.outcome === 'success';
          showDelivery(terminal, delivery, isAccepted, issuesOf(webhook));
          // Answered 500: the service must not believe what the target did not say.
          if (!isAccepted) throw refusedByTarget;
        },
      },
    })
      .onRejected(({ reason, status }) => terminal.out(`refused ${status} ${reason}`, 'bad'))
      .onError((error, { stage, event }) => {
        if (error === refusedByTarget) return;
        const status = stage === 'validation' ? 400 : 500;
        const type = onOneLine(event?.type ?? '(no type)');
        terminal.out(`${type} ${status}: ${(error as Error).message}`, 'bad');
      });
    const server = createServer((request, response) => void receiver.node(request, response));
    const address = await listening(server, { port: portOf(port), host });
    const stopped = terminal.stopped();
    terminal.out(greeting(address, url, file));
    await stopped;
    await closed(server);
    return 0;
  },
});

/** Told with the delivery to the target already. */
const refusedByTarget = new Error('refused by the target');

/** Creates the file, or goes on with one, readable by its owner alone: it holds personal data. */
function openRecording(file: string): string {
  try {
    appendFileSync(file, '', { mode: 0o600 });
    // The mode above is that of a new file.
    if (statSync(file).isFile()) chmodSync(file, 0o600);
    return file;
  } catch (error) {
    throw new UsageError(`--record: ${(error as Error).message}`, { cause: error });
  }
}

function recordLine({ type, payload, receivedAt }: StoredWebhook, unmasked: boolean): string {
  const recorded: RecordedWebhook = { type, payload, receivedAt };
  return `${JSON.stringify(unmasked ? recorded : redact(recorded))}\n`;
}

/** The departures of a payload from the specification, each on a line of its own. */
function issuesOf({ type, payload }: StoredWebhook): string {
  if (!isWebhookEventType(type)) return '\n  - type: not in the specification';
  const verdict = validateOwn(webhookEvents[type].payload, payload, 'strict');
  return formatIssues(verdict.ok ? [] : verdict.issues);
}

async function listening(server: Server, { port, host }: { port: number; host: string }): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenProblem(error, host, port)));
    server.listen(port, host, resolve);
  });
  // A server that listens on a port has an address of this form.
  const actual = (server.address() as AddressInfo).port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function greeting(address: string, url: string | undefined, file: string | undefined): string {
  const lines = [`Webhooks are received at ${address}. Ctrl+C ends it.`];
  if (url !== undefined) lines.push(`Genuine ones are posted to ${url}.`);
  if (file !== undefined) {
    lines.push(`They are recorded in ${file}, without the secret: personal data, keep it as such.`);
  }
  return lines.join('\n');
}
