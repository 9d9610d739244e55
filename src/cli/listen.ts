import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { startListening } from '../testing/http/server.js';
import type { RecordedWebhook } from '../testing/sending/recording.js';
import { formatIssues, type Issue } from '../utils/issues.js';
import { MASK, redact } from '../utils/redact.js';
import { validateOwn } from '../validation/validate.js';
import { isWebhookEventType, webhookEvents } from '../webhooks/events/table.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { createWebhookReceiver } from '../webhooks/receiver.js';
import { SECRET_VARIABLE } from '../webhooks/secrets/secret-variable.js';
import { type Command, parse, parseNumber, parseTarget, readSecrets } from './command.js';
import { appendPrivately, orUsageError } from './files.js';
import { JSON_OPTION, postAndPrint, printEvent } from './lines.js';

/** Receives, verifies, prints, records and forwards webhooks. */
export const listen: Command = {
  summary: 'receive webhooks: print, record and forward them',
  help: `${SECRET_VARIABLE}=… agent-platform-sdk listen [options]

Receives webhooks at http://127.0.0.1:4020, on any path. The service must be able to reach it: use a tunnel.
Verifies each webhook, and prints its type, the response, and every field that does not match the API specification.
The service does not retry: record the events, and \`replay\` posts them as often as you need.

Options
  --forward-to <url>  posts each verified webhook to this address; answers 200 if it does, else 500
  --record <file>     appends each verified webhook to this file, as one line of JSON without secrets
  --verbose           prints the payloads, with secret fields masked
  --port <number>     the port to listen on (default: 4020; 0 takes any free port)
  --host <address>    the address to listen on (default: 127.0.0.1, this machine only; 0.0.0.0: all addresses)
  --json              prints JSON, one object a line

A recording contains names, addresses and messages of real people: protect it as personal data.`,
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
    if (file !== undefined) orUsageError('--record: ', () => appendPrivately(file, ''));
    const id = randomUUID();
    // By their places, so that the receiver names the secret that an event came with.
    const named = Object.fromEntries(secrets.map((secret, index) => [String(index), secret]));
    const store = async (webhook: StoredWebhook): Promise<void> => {
      const { type, receivedAt: at } = webhook;
      const recorded: RecordedWebhook = { type, payload: webhook.payload, receivedAt: at };
      // Recorded before it is forwarded: a failing target must not lose it.
      const line = `${JSON.stringify(withoutSecrets(recorded, secrets))}\n`;
      if (file !== undefined) orUsageError('--record: ', () => appendPrivately(file, line));
      const issues = driftOf(webhook);
      const payload = verbose ? withoutSecrets(webhook.payload, secrets) : undefined;
      const text = payload === undefined ? '' : `\n${JSON.stringify(payload, undefined, 2)}`;
      const fields = { type, issues: issues.length === 0 ? undefined : issues, payload };
      const about = { more: formatIssues(issues) + text, fields };
      if (url === undefined) return printEvent(terminal, json, { at, mark: 200, text: type, ...about });
      const isAccepted = await postAndPrint(terminal, json, {
        url,
        webhook,
        secret: named[webhook.workspace ?? ''] ?? secrets[0],
        headers: { [OWN_POST]: id },
        about,
      });
      // Not handled: the response is 500.
      if (!isAccepted) throw refusedByTarget;
    };
    const printFailure = (mark: number, type: string, failure: string): void => {
      const request = requests.getStore();
      const text = request === undefined ? type : `${type}  ${request}`;
      printEvent(terminal, json, { at: Date.now(), mark, text, failure, fields: { type, request } });
    };
    const receiver = createWebhookReceiver({ secret: named, logLevel: 'off', inbox: { store } })
      .onRejected(({ reason, status, hint = OTHER_CALLER }) => printFailure(status, reason, hint))
      .onError((error, { event }) => {
        if (error === refusedByTarget) return;
        printFailure(500, event?.type ?? 'failed', (error as Error).message);
      });
    const server = createServer((request, response) =>
      requests.run(`${request.method} ${request.url?.replace(/\?.*/s, '')}`, () => {
        if (request.headers[OWN_POST] !== id) return void receiver.node(request, response);
        printFailure(508, 'loop', LOOP_ADVICE);
        response.writeHead(508).end(LOOP_ADVICE);
      }),
    );
    const listening = await startListening(server, { host, port });
    const stopped = terminal.stopped();
    const forwards = url === undefined ? '' : `\nForwards verified webhooks to ${url}.`;
    const records =
      file === undefined ? '' : `\nRecords verified webhooks in ${file}: protect it as personal data.`;
    if (json) terminal.out(JSON.stringify({ url: listening.url, forwardTo: url, record: file }));
    else terminal.out(`Listening at ${listening.url}. Press Ctrl+C to stop.${forwards}${records}`);
    await stopped;
    await listening.close();
    return 0;
  },
};

/** Printed with the delivery already. */
const refusedByTarget = new Error('refused by the target');

/** The verb and the path of the request that is being answered. */
const requests = new AsyncLocalStorage<string>();

/** The header of forwarded events, by which this process knows its own. */
const OWN_POST = 'agent-platform-sdk-listen';

const OTHER_CALLER = 'The service posts its events as JSON. Does something else call this address?';

const LOOP_ADVICE = '--forward-to leads back here. Forward to the address of your receiver.';

/** Masks fields by name, and the secrets wherever a text repeats them. */
function withoutSecrets(value: object, secrets: readonly string[]): unknown {
  const hide = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  return JSON.parse(
    JSON.stringify(redact(value), (_, each: unknown) => (typeof each === 'string' ? hide(each) : each)),
  );
}

/** The fields of a payload that do not match the API specification. */
function driftOf({ type, payload }: StoredWebhook): readonly Issue[] {
  if (!isWebhookEventType(type)) return [UNKNOWN_TYPE];
  const verdict = validateOwn(webhookEvents[type].payload, payload, 'strict');
  return verdict.ok ? [] : verdict.issues;
}

const UNKNOWN_TYPE: Issue = { path: ['type'], code: 'unknown', message: 'not in the API specification' };
