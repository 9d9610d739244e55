import { EVENT_TYPES } from '../testing/fixtures/events.js';
import { checkEventType, createFixtures } from '../testing/fixtures/fixtures.js';
import { checkFieldNames } from '../testing/fixtures/overlay.js';
import { failureOfDelivery } from '../testing/http/describe.js';
import type { PostedEvent } from '../testing/sending/post.js';
import { formatIssues } from '../utils/issues.js';
import { parseJson } from '../utils/json.js';
import { validateOwn } from '../validation/validate.js';
import { FORGED_SECRET } from '../webhooks/authenticate.js';
import { type WebhookEventType, webhookEvents } from '../webhooks/events.js';
import { SECRET_VARIABLE } from '../webhooks/secrets/secret-variable.js';
import { type Command, parse, parseNumber, UsageError } from './command.js';
import { JSON_OPTION, printDelivery } from './lines.js';
import { parseTarget, post, readSecrets } from './sending.js';

/** Posts one event, made from a fixture. */
export const trigger: Command = {
  summary: 'post one webhook, with the payload of a fixture',
  help: `${SECRET_VARIABLE}=… agent-platform-sdk trigger <type> --to <url> [options]

Posts a valid event of this type, created now, with the first secret of the environment in its payload.

Options
  --to <url>             the address to post it to
  --set <field>=<value>  sets a field of the payload: to this text if it is a string in the fixture, else to
                         this JSON; repeatable
  --copies <number>      posts this many identical deliveries at once (default: 1)
  --json                 prints one line of JSON for each delivery
  --forged               sends a wrong secret, and expects 401, as the receiver of this package responds

The exit code is 0 if every response was 200, or 401 with --forged.

Types
${EVENT_TYPES.map((type) => `  ${type}`).join('\n')}`,
  async run(args, terminal) {
    const options = {
      to: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] as string[] },
      copies: { type: 'string', default: '1' },
      forged: { type: 'boolean', default: false },
      json: JSON_OPTION,
    } as const;
    const { values, operand: type } = parse(args, options, 'the type of an event');
    const url = parseTarget('--to', values.to, terminal);
    checkEventType(type);
    // Checked in the line above.
    const webhook = { type, payload: createPayload(type as WebhookEventType, values.set) };
    const secret = values.forged ? FORGED_SECRET : readSecrets(terminal)[0];
    const copies = parseNumber('--copies', values.copies, 1, 1_000);
    const posts = Array.from({ length: copies }, () => post(url, webhook, secret));
    const deliveries = await Promise.all(posts);
    const failureOf = values.forged ? failureOfForged : failureOfDelivery;
    for (const delivery of deliveries) printDelivery(terminal, values.json, delivery, failureOf(delivery));
    return deliveries.every((delivery) => failureOf(delivery) === undefined) ? 0 : 1;
  },
};

/** Why the delivery of a forged event did not end as it should. */
function failureOfForged({ status, error }: PostedEvent): string | undefined {
  if (status === 401) return undefined;
  return (
    error ?? 'Expected 401, as the receiver of this package responds. Verify the secret of every event (6.4).'
  );
}

function createPayload(type: WebhookEventType, set: readonly string[]): Record<string, unknown> {
  const fixture = createFixtures().event(type).payload;
  const payload: Record<string, unknown> = { ...fixture, createdAt: Date.now() };
  for (const assignment of set) {
    const [, field = '', value = ''] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (field === '') throw new UsageError(`--set must be field=value, got "${assignment}".`);
    if (field.includes('.')) {
      throw new UsageError(
        `--set takes the name of a field, such as ${field.split('.').pop()}, got "${field}".`,
      );
    }
    const json = parseJson(value);
    // A phone number or an id of digits stays a text; so does one in quotes, without them.
    const isText = json === undefined || (typeof payload[field] === 'string' && typeof json !== 'string');
    payload[field] = isText ? value : json;
  }
  checkFieldNames(`the payload of ${type}`, payload, Object.keys(fixture));
  // Only a valid event shows how the receiver handles a real one.
  const verdict = validateOwn(webhookEvents[type].payload, payload, 'strict');
  if (!verdict.ok) throw new UsageError(`--set makes an invalid ${type}:${formatIssues(verdict.issues)}`);
  return payload;
}
