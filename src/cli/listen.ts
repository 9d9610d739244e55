import { appendFileSync, chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import { failureOfDelivery } from '../testing/http/describe.js';
import type { RecordedWebhook } from '../testing/sending/recording.js';
import { formatIssues, type Issue } from '../utils/issues.js';
import { redact } from '../utils/redact.js';
import { validateOwn } from '../validation/validate.js';
import { isWebhookEventType, webhookEvents } from '../webhooks/events.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { createWebhookReceiver } from '../webhooks/receiver.js';
import { SECRET_VARIABLE } from '../webhooks/secrets/secret-variable.js';
import { type Command, parse, parseNumber, UsageError } from './command.js';
import { JSON_OPTION, printDelivery, printEvent, printJson, printPosting } from './lines.js';
import { startListening } from './listening.js';
import { parseTarget, post, readSecrets } from './sending.js';

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
  --host <address>    the address to listen on (default: 127.0.0.1, this machine only; 0.0.0.0: all addresses)
  --json              prints one line of JSON for each webhook

${SECRET_VARIABLE} may hold several secrets, separated by commas. A recording
contains names, addresses and messages of real people: protect it as personal data.`,
  async run(args, terminal) {
    const { values } = parse(args, {
      'forward-to': { type: 'string' },
      record: { type: 'string' },
      verbose: { type: 'boolean', default: false },
      port: { type: 'string', default: '4020' },
      host: { type: 'string', default: '127.0.0.1' },
      json: JSON_OPTION,
    });
    const { 'forward-to': target, record: file, verbose, host, json } = values;
    const port = parseNumber('--port', values.port, 0, 65_535);
    const secrets = readSecrets(terminal);
    const url = target === undefined ? undefined : parseTarget('--forward-to', target, terminal);
    if (file !== undefined) openRecording(file);
    const store = async (webhook: StoredWebhook): Promise<void> => {
      // Recorded before it is forwarded: a failing target must not lose it.
      if (file !== undefined) appendFileSync(file, recordLine(webhook));
      const { type, receivedAt: at } = webhook;
      const issues = departuresOf(webhook);
      const payload = verbose ? redact(webhook.payload) : undefined;
      const text = payload === undefined ? '' : `\n${JSON.stringify(payload, undefined, 2)}`;
      const found = issues.length === 0 ? undefined : issues;
      const about = { more: formatIssues(issues) + text, fields: { type, issues: found, payload } };
      if (url === undefined) return printEvent(terminal, json, { at, mark: 200, text: type, ...about });
      printPosting(terminal, json, type, url);
      const delivery = await post(url, webhook, secrets[0]);
      const failure = failureOfDelivery(delivery);
      printDelivery(terminal, json, delivery, failure, about);
      // Not handled: the response is 500.
      if (failure !== undefined) throw refusedByTarget;
    };
    const printFailure = (mark: number, text: string, failure?: string): void =>
      printEvent(terminal, json, {
        at: Date.now(),
        mark,
        text,
        failure: failure ?? '',
        fields: { type: text },
      });
    const receiver = createWebhookReceiver({ secret: secrets, logLevel: 'off', inbox: { store } })
      .onRejected(({ reason, status, hint }) => printFailure(status, reason, hint))
      .onError((error, { event }) => {
        if (error === refusedByTarget) return;
        printFailure(500, event?.type ?? 'failed', (error as Error).message);
      });
    const server = createServer((request, response) => void receiver.node(request, response));
    const address = await startListening(server, host, port);
    const stopped = terminal.stopped();
    const lines = [`Webhooks are received at ${address}. Press Ctrl+C to stop.`];
    if (url !== undefined) lines.push(`Verified ones are posted to ${url}.`);
    if (file !== undefined) lines.push(`Verified ones are recorded in ${file}: protect it as personal data.`);
    if (json) printJson(terminal, { url: address, forwardTo: url, record: file });
    else terminal.out(lines.join('\n'));
    await stopped;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    return 0;
  },
};

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

/** The fields of a payload that do not match the API specification. */
function departuresOf({ type, payload }: StoredWebhook): readonly Issue[] {
  if (!isWebhookEventType(type)) return [UNKNOWN_TYPE];
  const verdict = validateOwn(webhookEvents[type].payload, payload, 'strict');
  return verdict.ok ? [] : verdict.issues;
}

const UNKNOWN_TYPE: Issue = { path: ['type'], code: 'unknown', message: 'not in the API specification' };
