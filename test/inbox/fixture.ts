import {
  createWebhookReceiver,
  type StoredWebhook,
  type StoringReceiverOptions,
  type WebhookInbox,
  type WebhookReceiver,
} from 'agent-platform-sdk';
import type {
  CloseOptions,
  DeadLetters,
  EventHandlers,
  HandlersByType,
  InboxFailure,
  InboxHealth,
  InboxHooks,
  InboxOptions,
  InboxRun,
  WorkOptions,
} from 'agent-platform-sdk/sqlite';
import { expect, vi } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { minimal, secret } from '../webhooks/deliveries.js';

/** What every inbox of this package has. */
export interface Inbox extends WebhookInbox {
  readonly deadLetters: DeadLetters;
  work(
    work: HandlersByType | EventHandlers,
    options?: WorkOptions,
  ): { close(options?: CloseOptions): Promise<void> };
  health(): Promise<InboxHealth>;
  idle(): Promise<void>;
  close(options?: CloseOptions): Promise<void>;
}

/** An inbox to test, and the means to look behind it. */
export interface Engine {
  /** Creates an inbox on the storage of the test. It is closed when the test ends. */
  createInbox(options?: InboxOptions): Inbox;
  /** Takes the locks of all running events away, as a worker does that takes them over. */
  loseLocks(): unknown;
  /** Makes dead letters of all running events, as another worker does. */
  bury(): unknown;
  /** Keeps the storage from writing anything, until what it returns is called. */
  block(): Promise<() => unknown>;
  /** Reads all that is stored, as text. */
  readEverything(): Promise<string>;
}

/** Options of an inbox that retries at once, and logs nowhere. */
export function quickOptions(): InboxOptions {
  return { backoff: 1, logger: new RecordingLogger(), logLevel: 'debug' };
}

/** A receiver that logs nowhere. */
export const receiverWith = (options: Partial<StoringReceiverOptions> = {}): WebhookReceiver =>
  createWebhookReceiver({ secret, logger: new RecordingLogger(), ...options } as StoringReceiverOptions);

/** Handlers that are given each event as it was stored. */
export function processing(process: EventHandlers['process']): EventHandlers {
  return { process, handles: () => true };
}

/** Never settles. */
export const hang = () => new Promise<never>(() => undefined);

/** Hooks that record their calls. */
export function record() {
  const calls: string[] = [];
  const failures: InboxFailure[] = [];
  const runs: InboxRun[] = [];
  const hooks: InboxHooks = {
    onHandled: (run) => {
      calls.push('handled');
      runs.push(run);
    },
    onRetry: (failure) => {
      calls.push('retry');
      failures.push(failure);
    },
    onDeadLetter: (failure) => {
      calls.push('dead letter');
      failures.push(failure);
    },
  };
  return { calls, failures, runs, hooks };
}

let keys = 0;

/** A stored event of its own. */
export function stored(overrides: Partial<StoredWebhook> = {}): StoredWebhook {
  keys += 1;
  return {
    version: 1,
    key: keys.toString(16).padStart(64, '0'),
    type: 'lead_captured',
    payload: minimal.lead_captured,
    deliveryId: crypto.randomUUID(),
    receivedAt: Date.now(),
    ...overrides,
  };
}

/** Resolves when a check passes, however busy the machine is. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 25_000, interval: 10 });
}

/** Resolves when no event waits or runs. */
export async function settled(inbox: Inbox): Promise<void> {
  await eventually(async () => expect((await inbox.health()).depth).toBe(0));
}
