import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.js';
import { Fleet } from './fleet.js';
import { Ledger, sendAll } from './sender.js';
import {
  openInbox,
  type PassedOptions,
  type ProcessSettings,
  type Storage,
  type WorkerSettings,
} from './settings.js';
import { judge, type Verdict } from './verdict.js';

/** The events that a scenario sends, unless it says otherwise. */
export const EVENTS = Number(process.env.CRASH_EVENTS ?? 1_000);
const SEED = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
console.log(`${EVENTS} events in each scenario, CRASH_SEED=${SEED}`);
/** Whether locks and time limits are shorter than the defaults. */
export const IS_SHORT = EVENTS < 10_000;

export interface StageOptions {
  /** Where the processes store events. */
  readonly storage: Storage;
  readonly inbox?: PassedOptions;
  readonly worker?: WorkerSettings;
  /** How far the clocks of the processes are set, in ms. Default: not at all. */
  readonly clock?: number;
  readonly receivers?: number;
  /** How many of the receivers are workers too. Default 0. */
  readonly receiversThatWork?: number;
  readonly workers?: number;
  /** Default `EVENTS`. */
  readonly events?: number;
  /** The number of events that are sent at the same time. Default 64. */
  readonly senders?: number;
}

export const SECRET = 'campaign-workspace-secret';
const RECEIVERS = 2;
const WORKERS = 3;
/** Time limit for handling what is left after the last fault, in ms: twice that of a handler. */
const DRAIN_TIMEOUT_MS = 600_000;

/** A sender, receivers and workers around a Redis, and what they leave behind. */
export class Stage {
  readonly ledger = new Ledger();
  /** Draws what happens: the same for the same seed. */
  readonly random = randomNumbers(SEED);
  readonly receivers: Fleet;
  readonly workers: Fleet;
  /** Of the receivers. */
  readonly ports: readonly number[];
  inbox: Awaited<ReturnType<typeof openInbox>>;
  /** The times of failovers, at which Redis lost what it had not replicated yet. */
  readonly forgotten: number[] = [];
  readonly #common: Omit<ProcessSettings, 'port' | 'worker'>;
  readonly #options: StageOptions;

  private constructor(options: StageOptions, ports: readonly number[], inbox: Stage['inbox']) {
    const { storage, workers = WORKERS, receiversThatWork = 0, clock } = options;
    this.#options = options;
    this.ports = ports;
    this.inbox = inbox;
    const journals = mkdtempSync(join(tmpdir(), 'journals-'));
    // Rarer than workers need to see that another one is dead: nothing is freed for a lock after a jump.
    const every = IS_SHORT ? 2_000 : 90_000;
    this.#common = {
      storage,
      inbox: options.inbox ?? {},
      secret: SECRET,
      journals,
      ...(clock !== undefined && { clock: { most: clock, every } }),
    };
    const worker = this.worker(options.worker);
    const receivers = ports.map((port, index) => ({
      ...(index < receiversThatWork && worker),
      ...this.receiver(port),
    }));
    this.receivers = new Fleet(receivers);
    this.workers = new Fleet(Array<ProcessSettings>(workers).fill(worker));
  }

  /** Resolves when the receivers respond. */
  static async open(options: StageOptions): Promise<Stage> {
    const ports = await Promise.all(Array.from({ length: options.receivers ?? RECEIVERS }, freePort));
    const stage = new Stage(options, ports, await openInbox(options));
    onTestFinished(() => stage.stop());
    await Promise.all(ports.map(untilResponding));
    return stage;
  }

  /** The settings of a receiver. */
  receiver(port: number): ProcessSettings {
    return { ...this.#common, port };
  }

  /** The settings of a worker. */
  worker(settings: WorkerSettings = {}): ProcessSettings {
    const options = { ...(IS_SHORT && { lockDuration: 2_000 }), ...settings.options };
    return { ...this.#common, worker: { ...settings, options } };
  }

  /** Sends all events, and calls `happen` each time that about `every` more were sent. Default: never. */
  async send(every = Number.POSITIVE_INFINITY, happen: () => unknown = () => undefined): Promise<void> {
    const { events = EVENTS, senders = 64 } = this.#options;
    const urls = this.ports.map((port) => `http://127.0.0.1:${port}/`);
    const random = randomNumbers(SEED + 1);
    const sending = sendAll({ events, senders, secret: SECRET, urls, random }, this.ledger);
    for (let due = every; !this.ledger.isComplete; due += every * (0.5 + this.random())) {
      while (this.ledger.sent.size < due && !this.ledger.isComplete) await sleep(20);
      if (!this.ledger.isComplete) await happen();
    }
    await sending;
  }

  /** Ends all processes, and starts them again after `meanwhile`. */
  async restart(signal: NodeJS.Signals, meanwhile: () => void): Promise<void> {
    await Promise.all([this.inbox.close(), this.receivers.end(signal), this.workers.end(signal)]);
    meanwhile();
    this.inbox = await openInbox(this.#common);
    this.receivers.startAgain();
    this.workers.startAgain();
    await Promise.all(this.ports.map(untilResponding));
  }

  /** Waits until no event is waiting, active or retrying. */
  async drain(): Promise<boolean> {
    const until = Date.now() + DRAIN_TIMEOUT_MS;
    while (Date.now() < until) {
      const { ready, depth } = await this.inbox.health();
      if (ready && depth === 0) return true;
      await sleep(250);
    }
    return false;
  }

  /** Ends the processes, and judges their journals. */
  async close(): Promise<Verdict> {
    const kept = new Map<string, string>();
    for (let after = ''; ; ) {
      const letters = await this.inbox.deadLetters.list({ after, limit: 20 });
      for (const { webhook, reason } of letters) kept.set(String(webhook.payload.agentId), reason);
      const last = letters.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
    await this.stop();
    const { ledger, forgotten } = this;
    const { journals } = this.#common;
    const killed = new Set([...this.workers.killed, ...this.receivers.killed]);
    const verdict = judge({ journals, ledger, killed, kept, forgotten });
    rmSync(journals, { recursive: true, force: true });
    return verdict;
  }

  async stop(): Promise<void> {
    await this.inbox.close();
    await Promise.all([this.receivers.stop(), this.workers.stop()]);
  }
}

export async function untilResponding(port: number): Promise<void> {
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch {
      await sleep(50);
    }
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
