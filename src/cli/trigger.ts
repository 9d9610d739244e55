import { EVENT_TYPES } from '../testing/fixtures/events.js';
import { checkEventType, createFixtures } from '../testing/fixtures/fixtures.js';
import { checkFieldNames } from '../testing/fixtures/overlay.js';
import { FORGED_ADVICE } from '../testing/http/rows.js';
import type { PostResult } from '../testing/sending/post.js';
import { formatIssues } from '../utils/issues.js';
import { parseJson } from '../utils/json.js';
import { validateOwn } from '../validation/validate.js';
import { FORGED_SECRET } from '../webhooks/authenticate.js';
import { type WebhookEventType, webhookEvents } from '../webhooks/events/table.js';
import { SECRET_VARIABLE } from '../webhooks/secrets/secret-variable.js';
import { type Command, parse, parseNumber, parseTarget, readSecrets, UsageError } from './command.js';
import { JSON_OPTION, postAndPrint } from './lines.js';

/** Posts one event, made from a fixture. */
export const trigger: Command = {
  summary: 'post one made-up webhook',
  help: `${SECRET_VARIABLE}=… agent-platform-sdk trigger <type> --to <url> [options]

Posts a complete, valid event of this type, created now, with the first secret of the environment.

Options
  --to <url>             the address to post it to
  --set <field>=<value>  sets a field of the payload, to text if the field has text, else to JSON; repeatable
  --copies <number>      posts this many identical deliveries at once (default: 1)
  --forged               sends a wrong secret, and expects 401, as the receiver of this package answers
  --json                 prints JSON, one object a line

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
    const failureOfForged = ({ status, error = FORGED_ADVICE }: PostResult) =>
      status === 401 ? undefined : error;
    const post = { url, webhook, secret, ...(values.forged && { failureOf: failureOfForged }) };
    const posts = Array.from({ length: copies }, () => postAndPrint(terminal, values.json, post));
    return (await Promise.all(posts)).every(Boolean) ? 0 : 1;
  },
};

function createPayload(type: WebhookEventType, set: readonly string[]): Record<string, unknown> {
  const fixture = createFixtures().event(type).payload;
  const payload: Record<string, unknown> = { ...fixture, createdAt: Date.now() };
  for (const assignment of set) {
    const [, field = '', value = ''] = /^([^=.]+)=(.*)$/s.exec(assignment) ?? [];
    if (field === '') {
      throw new UsageError(`--set must be field=value, such as leadName=Dana, got "${assignment}".`);
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
