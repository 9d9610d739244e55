import { formatIssues } from '../ground/issues.js';
import { parseJson } from '../ground/json.js';
import type { DeliveryRecord } from '../testing/deliver.js';
import { createFixtures } from '../testing/fixtures/fixtures.js';
import { validateOwn } from '../validation/validate.js';
import { isWebhookEventType, webhookEvents } from '../webhooks/events.js';
import { command, UsageError } from './command.js';
import { post, SECRET_VARIABLE, secretOf, showDelivery, targetOf } from './webhooks.js';

/** Posts one event, made from a fixture. */
export const triggerCommand = command({
  name: 'trigger',
  summary: 'post one webhook, with the payload of a fixture',
  help: `${SECRET_VARIABLE}=… agent-platform-sdk trigger <type> --to <url> [options]

Posts a valid event of this type, \`createdAt\` now, with the secret of the environment in its payload.

Options
  --to <url>             where to post it
  --set <field>=<value>  sets a field of the payload; the value is JSON, or else a text; can be repeated
  --copies <number>      how often it is posted, all at once and all alike (default: 1)
  --forged               puts a wrong secret into it: your receiver should answer 401

The exit code is 0 if each was answered 200, or 401 with --forged.

Types
${Object.keys(webhookEvents)
  .map((type) => `  ${type}`)
  .join('\n')}`,
  operand: 'the type of an event',
  flags: {
    to: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    copies: { type: 'string', default: '1' },
    forged: { type: 'boolean', default: false },
  },
  async run({ to, set, copies, forged }, terminal, type) {
    if (to === undefined) throw new UsageError('trigger needs --to, the address to post to.');
    const url = targetOf('--to', to, terminal);
    const secret = forged ? 'forged-by-agent-platform-sdk' : secretOf(terminal);
    const webhook = { type, payload: payloadOf(type, set) };
    terminal.progress(`posting ${type}`);
    const posts = Array.from({ length: countOf(copies) }, () => post(url, webhook, secret));
    const deliveries = await Promise.all(posts);
    const isGood = ({ status }: DeliveryRecord): boolean => status === (forged ? 401 : 200);
    for (const delivery of deliveries) showDelivery(terminal, delivery, isGood(delivery));
    return deliveries.every(isGood) ? 0 : 1;
  },
});

function payloadOf(type: string, set: readonly string[]): Record<string, unknown> {
  if (!isWebhookEventType(type)) {
    throw new UsageError(`There is no event "${type}". There is: ${Object.keys(webhookEvents).join(', ')}.`);
  }
  const payload: Record<string, unknown> = { ...createFixtures().event(type).payload, createdAt: Date.now() };
  for (const assignment of set) {
    const [, field = '', value = ''] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (field === '') throw new UsageError(`--set takes field=value, got "${assignment}".`);
    const json = parseJson(value);
    payload[field] = json === undefined ? value : json;
  }
  // The service would not send it otherwise.
  const verdict = validateOwn(webhookEvents[type].payload, payload, 'strict');
  if (!verdict.ok) throw new UsageError(`--set makes no valid ${type}${formatIssues(verdict.issues)}`);
  return payload;
}

function countOf(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > 1_000) {
    throw new UsageError(`--copies takes a number from 1 to 1000, got "${text}".`);
  }
  return count;
}
