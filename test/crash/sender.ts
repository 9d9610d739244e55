import { setTimeout as sleep } from 'node:timers/promises';
import { TYPES } from './settings.js';

/** The outcomes of the deliveries. */
export class Ledger {
  /** Names of the authentic events that were sent. */
  readonly sent = new Set<string>();
  /** Names of those that were sent more than once. */
  readonly duplicated = new Set<string>();
  /** Names of those that got a 200 at least once. */
  readonly acknowledged = new Set<string>();
  /** The number of deliveries for each outcome: a status, or `no response`. */
  readonly outcomes = new Map<string, number>();
  /** The time and the outcome of each delivery, by the name of the event. */
  readonly deliveries = new Map<string, string[]>();
  forgedAccepted = 0;
  /** Everything was sent, and has its outcome. */
  isComplete = false;

  count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}

export interface SenderOptions {
  readonly events: number;
  /** The number of events that are sent at the same time. */
  readonly senders: number;
  readonly secret: string;
  readonly urls: readonly string[];
  /** Returns a new number from 0 to 1. */
  readonly random: () => number;
}

const DUPLICATED_SHARE = 0.25;
const FORGED_SHARE = 0.03;
const LARGE_SHARE = 0.01;

/**
 * Plays the service, which never retries. A quarter of the events have one or two duplicates, sent at once or
 * up to two seconds later, to any receiver. Some events are forged.
 */
export async function sendAll(options: SenderOptions, ledger: Ledger): Promise<void> {
  const late: Promise<void>[] = [];
  let next = 0;
  const sendOn = async () => {
    while (next < options.events) {
      const name = `event-${next}`;
      next += 1;
      await sendEvent(name, options, ledger, late);
    }
  };
  await Promise.all(Array.from({ length: options.senders }, sendOn));
  await Promise.all(late);
  ledger.isComplete = true;
}

async function sendEvent(
  name: string,
  options: SenderOptions,
  ledger: Ledger,
  late: Promise<void>[],
): Promise<void> {
  const { random, secret } = options;
  ledger.sent.add(name);
  const body = bodyOf(name, secret, random() < LARGE_SHARE ? 100_000 : 200);
  const deliver = async () => {
    const startedAt = Date.now();
    const status = await post(body, options, ledger);
    const delivery = `${startedAt} to ${Date.now()}: ${status ?? 'no response'}`;
    ledger.deliveries.set(name, [...(ledger.deliveries.get(name) ?? []), delivery]);
    if (status === 200) ledger.acknowledged.add(name);
  };
  const deliveries = [deliver()];
  if (random() < DUPLICATED_SHARE) {
    ledger.duplicated.add(name);
    const wait = random() * 2_000;
    deliveries.push(deliver());
    if (random() < 0.5) late.push(sleep(wait).then(deliver));
  }
  if (random() < FORGED_SHARE) deliveries.push(sendForged(name, options, ledger));
  await Promise.all(deliveries);
}

async function sendForged(name: string, options: SenderOptions, ledger: Ledger): Promise<void> {
  const body = bodyOf(`forged-${name}`, 'a-wrong-secret', 200);
  if ((await post(body, options, ledger)) === 200) ledger.forgedAccepted += 1;
}

/** Every other event has the second type. The name is in a field that both types have. */
export function bodyOf(agentId: string, workspaceSecret: string, size: number): string {
  const [lead, deleted] = TYPES;
  const isLead = Number(agentId.split('-').at(-1)) % 2 === 0;
  const common = { agentId, createdAt: 1_760_000_000_000, notes: 'x'.repeat(size), workspaceSecret };
  return JSON.stringify(
    isLead
      ? { type: lead, payload: { ...common, channel: 'whatsapp', operation: 'captured' } }
      : { type: deleted, payload: { ...common, operation: 'deleted' } },
  );
}

async function post(
  body: string,
  { urls, random }: SenderOptions,
  ledger: Ledger,
): Promise<number | undefined> {
  const url = urls[Math.floor(random() * urls.length)] ?? '';
  try {
    const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(60_000) });
    await response.arrayBuffer();
    ledger.count(String(response.status));
    // Otherwise, the seconds in which no event is stored would use up all of them.
    if (response.status === 500) await sleep(500);
    return response.status;
  } catch {
    // The service does not retry. Without the delay, the restart of a receiver would use up all events.
    ledger.count('no response');
    await sleep(100);
    return undefined;
  }
}
