import { bindMethods } from '../utils/bound.js';
import { unitProblems } from '../utils/durations.js';
import type { LeveledLogger } from '../utils/logger.js';
import { MAX_TIMER_MS, succeedsWithin } from '../utils/waiting.js';
import type { Consumer, EndedRun, InboxEvent, Runner } from './engine.js';
import { askedDelay, thrownBy } from './failure.js';
import { type CloseOptions, resolveGrace, type WorkSettings } from './options.js';
import type { InboxReporter } from './reporter.js';
import { describeRun, EventRun, type RunParts, type RunResult } from './run.js';
import { RECORD_MS } from './timing.js';

/** Time limit for all that an engine does after the grace, in ms. */
const AFTER_GRACE_MS = RECORD_MS + 500;

/** The parts of a worker. */
export interface WorkerParts<Takes extends Consumer> {
  readonly consumer: Takes;
  readonly runs: Runs;
  readonly log: LeveledLogger;
  /** Called when the worker has closed. */
  readonly onClosed: () => void;
}

/**
 * Processes the events of an inbox, in this process.
 *
 * @example
 * ```ts
 * import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
 *
 * const inbox = createSqliteInbox({ path: '/data/webhooks.db' });
 * const worker = inbox.work({ lead_captured: ({ payload }) => console.log(payload.leadEmail) });
 * process.on('SIGTERM', () => void worker.close({ grace: 10_000 }));
 * ```
 */
export class InboxWorker<Takes extends Consumer = Consumer> {
  /** @internal */
  protected readonly consumer: Takes;
  readonly #parts: WorkerParts<Takes>;
  #closing: Promise<void> | undefined;

  /** Use `inbox.work`. */
  constructor(parts: WorkerParts<Takes>) {
    this.#parts = parts;
    this.consumer = parts.consumer;
    bindMethods(this);
  }

  /**
   * Takes no more events, and lets those in progress finish or go back to the queue.
   *
   * Takes at most `grace` and three seconds, whatever the storage does.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(resolveGrace(options, this.#parts.log));
    return this.#closing;
  }

  async #close(grace: number): Promise<void> {
    const { consumer, runs, onClosed } = this.#parts;
    const timer = setTimeout(() => runs.giveBack(), Math.min(grace, MAX_TIMER_MS));
    await succeedsWithin(consumer.close(grace), grace + AFTER_GRACE_MS);
    clearTimeout(timer);
    onClosed();
  }
}

/** The parts of the runs of a worker. */
export interface RunsParts extends RunParts {
  readonly reporter: InboxReporter;
  /** Whether a worker of this inbox, in this process, has a handler for a type. */
  readonly anyHandles: (type: string) => boolean;
}

/** The runs of a worker. */
export class Runs implements Runner {
  readonly settings: WorkSettings;
  readonly #parts: RunsParts;
  readonly #reporter: InboxReporter;
  readonly #running = new Set<EventRun>();
  /** Runs that begin now are given back. */
  #isOver = false;

  constructor(parts: RunsParts) {
    this.settings = parts.work;
    this.#parts = parts;
    this.#reporter = parts.reporter;
  }

  handles(type: string): boolean {
    // The service's test event needs no handler.
    if (this.#parts.handlers.handles(type) || type === 'webhook_test') return true;
    if (!this.#parts.anyHandles(type)) this.#reporter.unhandled(type);
    return false;
  }

  async run(event: InboxEvent): Promise<EndedRun> {
    // Taken again, although its first run goes on: this worker was blocked for longer than its locks.
    this.lockLost(event.key);
    const run = new EventRun(event, this.#parts);
    this.#running.add(run);
    try {
      const ending: RunResult = this.#isOver ? { kind: 'given back' } : await run.handle();
      return { ending, report: () => this.#report(run, ending) };
    } finally {
      this.#running.delete(run);
    }
  }

  runsOf(key: string): EventRun[] {
    return [...this.#running].filter(({ event }) => event.key === key);
  }

  lockLost(key: string): void {
    for (const run of this.runsOf(key)) {
      if (run.interrupt('lost')) this.#reporter.lockLost(key);
    }
  }

  failedByEngine(event: InboxEvent, error: Error, becomes: 'retry' | 'dead'): void {
    const failure = { ...describeRun(event, event.failures + event.stalls), error };
    if (becomes === 'dead') this.#reporter.deadLetter(failure);
    else this.#reporter.retried(failure);
  }

  giveBack(): void {
    this.#isOver = true;
    for (const run of this.#running) run.interrupt('given back');
  }

  #report(run: EventRun, result: RunResult): void {
    const reporter = this.#reporter;
    // A run that succeeded is described only if somebody reads that: most events end here.
    if (result.kind === 'done') return reporter[result.how](() => run.describe());
    if (result.kind !== 'retry' && result.kind !== 'dead') return;
    const failure = { ...run.describe(), error: thrownBy(result.error) };
    if (result.kind === 'dead') return reporter.deadLetter(failure);
    for (const problem of unitProblems({ retryAfter: askedDelay(result.error) })) {
      reporter.warnOnce('retryAfter', `a handler's ${problem}`);
    }
    reporter.retried(failure);
  }
}
