import type { LeveledLogger } from '../ground/logger.js';
import { cleanError, isReadOnly } from '../redis/failure.js';
import { labelOf } from '../webhooks/envelope.js';
import type { InboxFailure, InboxFailures, InboxHooks, InboxRun, InboxStored } from './inbox-hooks.js';

/** What went wrong in this process since it began. */
type FailureCounts = { -readonly [Name in keyof InboxFailures]: number };

/** Tells the log and the hooks what happens in the inbox. No hook changes anything. */
export class InboxReporter {
  readonly failures: FailureCounts = { retried: 0, deadLetters: 0, stalled: 0, lostLocks: 0, redisErrors: 0 };
  readonly #log: LeveledLogger;
  readonly #hooks: InboxHooks;
  readonly #secrets: readonly string[];
  #lastRedisError: string | undefined;

  constructor(log: LeveledLogger, hooks: InboxHooks, secrets: readonly string[]) {
    this.#log = log;
    this.#hooks = hooks;
    this.#secrets = secrets;
  }

  stored(stored: InboxStored): void {
    this.#redisWrites();
    this.#tell('onStored', stored);
  }

  handled(run: InboxRun): void {
    this.#redisWrites();
    this.#log.log('info', () => `inbox: ${describeRun(run)} was handled`);
    this.#tell('onHandled', run);
  }

  retrying(failure: InboxFailure): void {
    this.failures.retried += 1;
    this.#log.log('warn', () => `inbox: ${describeRun(failure)} failed, and will be retried`);
    this.#tell('onRetry', failure);
  }

  deadLetter(failure: InboxFailure): void {
    this.failures.deadLetters += 1;
    this.#log.log('error', () => `inbox: ${describeRun(failure)} failed, and is a dead letter now`);
    this.#tell('onDeadLetter', failure);
  }

  stalled(key: string): void {
    this.failures.stalled += 1;
    this.#log.log('warn', () => `inbox: the worker of ${key} has died; the event is run again`);
    this.#tell('onStalled', { key });
  }

  lockLost(key: string | undefined): void {
    this.failures.lostLocks += 1;
    this.#log.log('warn', () => `inbox: the lock of ${key ?? 'an event'} was lost; it may be run again`);
    this.#tell('onLockLost', { key });
  }

  /** Logged once until something else happens: a Redis that is away fails on every attempt to connect. */
  redisFailed(error: unknown): void {
    const clean = cleanError(error, this.#secrets);
    this.failures.redisErrors += 1;
    if (clean.message !== this.#lastRedisError) {
      this.#lastRedisError = clean.message;
      this.#log.log('error', () => `inbox: Redis failed: ${clean.message}`);
    }
    this.#tell('onRedisError', clean);
  }

  /** One that takes no writes lets itself be connected to, again and again: it is back when it has taken one. */
  redisReady(): void {
    if (this.#lastRedisError !== undefined && !isReadOnly(this.#lastRedisError)) this.#redisBack();
  }

  #redisWrites(): void {
    if (this.#lastRedisError !== undefined && isReadOnly(this.#lastRedisError)) this.#redisBack();
  }

  #redisBack(): void {
    this.#lastRedisError = undefined;
    this.#log.log('warn', () => 'inbox: Redis is back');
  }

  #tell<Name extends keyof InboxHooks>(
    name: Name,
    about: Parameters<NonNullable<InboxHooks[Name]>>[0],
  ): void {
    // Each hook takes what its name goes with: the signature above holds the two together.
    const hook = this.#hooks[name] as ((about: unknown) => unknown) | undefined;
    if (hook !== undefined) void this.#log.runQuietly(name, () => hook(about));
  }
}

/** The type is a sender's text; the payload is not shown. */
function describeRun({ key, type, workspace, attempt, waitedMs, durationMs }: InboxRun): string {
  return `${labelOf(type, workspace)} (${key}, attempt ${attempt}, waited ${waitedMs} ms, ran ${durationMs} ms)`;
}
