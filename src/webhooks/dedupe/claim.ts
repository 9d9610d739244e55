import * as z from 'zod/mini';
import { WebhookError } from '../../errors/index.js';
import { sleep, unref, within } from '../../utils/waiting.js';
import { checkOptions, wholeNumber } from '../../validation/options.js';
import type { ParsedBody } from '../payload.js';
import type { SecretOwner } from '../secrets/known.js';

// Duplicates: the key of an event, the store that remembers keys, and the claim on a key while its handlers run.

// The key.

/**
 * Returns the key that all duplicates of an event share: a SHA-256 as 64 hexadecimal digits.
 *
 * It is made of the workspace and of the text without the secret; of compact JSON, if a body parser was in front or the envelope has
 * other fields than `type` and `payload`. Only if the secret alone tells workspaces apart, it is part of the key: an event of one must
 * not pass for that of another.
 */
export function eventKey(
  { type, payload, secret, fields, text }: ParsedBody,
  { workspace, isUnnamed }: SecretOwner,
): string | Promise<string> {
  const whose = isUnnamed ? [secret] : (workspace ?? null);
  const isPlain = fields.length === 2 && fields[0] === 'type';
  const content = isPlain && text !== undefined ? text : JSON.stringify({ type, payload });
  // The secret must not be guessable from a stored key. A short one is only replaced as a whole JSON string.
  const literal = JSON.stringify(secret);
  const written = String(secret).length >= 8 ? literal.slice(1, -1) : literal;
  return sha256(JSON.stringify(whose), content, written);
}

interface NodeCrypto {
  /** Faster for a short text. */
  readonly hash?: (name: 'sha256', text: string, form: 'hex') => string;
  /** Faster for the parts of a long one, which need not be joined. */
  readonly createHash: (name: 'sha256') => Hash;
}

interface Hash {
  update(text: string): Hash;
  digest(form: 'hex'): string;
}

const MAX_JOINED = 16_384;

/** SHA-256 of two texts in UTF-8, as hexadecimal digits. A NUL is between them, and replaces the secret in the second. */
function sha256(whose: string, content: string, secret: string): string | Promise<string> {
  // The cast reads what Node, Bun and Deno have. WebCrypto duplicates the text and hashes it on another thread, which takes longer.
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: 'crypto') => NodeCrypto | undefined };
  };
  const native = process?.getBuiltinModule?.('crypto');
  if (native !== undefined && content.length > MAX_JOINED) {
    const hash = native.createHash('sha256').update(whose);
    for (const part of content.split(secret)) hash.update('\0').update(part);
    return hash.digest('hex');
  }
  const text = `${whose}\0${content.replaceAll(secret, '\0')}`;
  return native?.hash?.('sha256', text, 'hex') ?? sha256ByWebCrypto(text);
}

async function sha256ByWebCrypto(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// The store.

/** The result of a claim in a {@link DedupeStore}. */
export type ClaimResult = 'new' | 'pending' | 'done';

/** Milliseconds for which a handled event is remembered by default: 24 hours. */
export const DEFAULT_WINDOW = 86_400_000;

/**
 * Remembers which events are being handled and which were. Several receivers and machines can share a store; each operation must be
 * one atomic step.
 *
 * `dedupeStoreConformance` in `agent-platform-sdk/testing` has these rules as tests:
 *
 * - A claim holds from `claim` until `complete`, `release` or the end of its lease.
 * - Only the owner of a claim can renew or release it. An owner whose lease ran out has lost it.
 * - What is done stays done until its time is over: a later `claim` or `release` does not change it.
 *
 * Keys are 64 hexadecimal digits; owners are UUIDs. What a method throws is passed to `onError`.
 */
export interface DedupeStore {
  /**
   * Claims an event for an owner, for `leaseMs` milliseconds.
   *
   * @returns `'new'`: the claim is the owner's; it was free, or was the owner's already and is renewed. `'pending'`:
   *   another owner holds it. `'done'`: the event was handled.
   */
  claim(key: string, owner: string, leaseMs: number): ClaimResult | Promise<ClaimResult>;
  /**
   * Marks an event as handled for `ttlMs` milliseconds. Takes effect unless another owner holds the claim: an owner
   * that lost its lease and handled the event all the same has handled it.
   */
  complete(key: string, owner: string, ttlMs: number): void | Promise<void>;
  /** Ends the owner's claim, so that the next duplicate is `'new'`. */
  release(key: string, owner: string): void | Promise<void>;
}

/** Options of {@link createMemoryDedupe}. */
export interface MemoryDedupeOptions {
  /**
   * The number of handled events that are remembered at least; at most twice as many are. Default 100 000. Events that are being
   * handled are always remembered, and not counted.
   */
  readonly maxKeys?: number | undefined;
}

/**
 * Makes a store for duplicates in the memory of this process: the receiver's default.
 *
 * Make one yourself to share it between receivers, for example of the subscription and of the agent-level webhook (specification, 6.3
 * rule 1; that both deliveries are identical is an assumption). With more than one process, use a store they share.
 *
 * @throws {ConfigurationError} An option is wrong.
 *
 * @example
 * ```ts
 * import { createMemoryDedupe, createWebhookReceiver } from 'agent-platform-sdk';
 *
 * const store = createMemoryDedupe({ maxKeys: 10_000 });
 * const secret = process.env.AGENT_PLATFORM_WEBHOOK_SECRET;
 * export const subscribed = createWebhookReceiver({ secret, dedupe: store });
 * export const agentLevel = createWebhookReceiver({ secret, dedupe: store });
 * ```
 */
export function createMemoryDedupe(options: MemoryDedupeOptions = {}): DedupeStore {
  const schema = z.strictObject({ maxKeys: z.optional(wholeNumber(1)) });
  checkOptions(schema, options, { of: 'createMemoryDedupe' });
  const { maxKeys = 100_000 } = options;
  const held = new Map<string, { readonly owner: string; readonly until: number }>();
  // Two generations: forgetting the older one as a whole costs nothing per key.
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  const isHeldByOther = (key: string, owner: string): boolean => {
    const claim = held.get(key);
    return claim !== undefined && claim.owner !== owner && claim.until > performance.now();
  };
  return {
    claim(key, owner, leaseMs) {
      if ((young.get(key) ?? old.get(key) ?? 0) > performance.now()) return 'done';
      if (isHeldByOther(key, owner)) return 'pending';
      held.set(key, { owner, until: performance.now() + leaseMs });
      return 'new';
    },
    complete(key, owner, ttlMs) {
      if (isHeldByOther(key, owner)) return;
      held.delete(key);
      young.set(key, performance.now() + ttlMs);
      if (young.size < maxKeys) return;
      old = young;
      young = new Map();
    },
    release(key, owner) {
      if (held.get(key)?.owner === owner) held.delete(key);
    },
  };
}

// The claim.

/** The resolved options of `dedupe`. */
export interface DedupeSettings {
  readonly store: DedupeStore;
  /** Milliseconds for which a handled event is remembered. */
  readonly window: number;
}

/** Milliseconds for which a claim holds without a renewal: the event of a process that died is free after them. */
const LEASE = 10_000;
/** Milliseconds that a store may take for an answer. */
const STORE_TIMEOUT = 5_000;
/** Milliseconds between two looks at an event that another delivery handles. */
const POLL = { first: 50, last: 1_000 };

/** Whether all handlers of an event succeeded. */
export type HandlersOutcome = 'handled' | 'handler_failed';

/** A delivery that wants to handle an event. */
export interface Claimant {
  /** Its id. */
  readonly owner: string;
  /** Aborted at the deadline: then it waits no longer. */
  readonly signal: AbortSignal;
  /** Called if another delivery holds the event. */
  readonly onWait: () => void;
  /** Called if the store fails. Never rejects. */
  readonly onStoreError: (error: unknown) => unknown;
}

/**
 * Handles an event unless a duplicate of it was handled. While a duplicate is being handled, waits for its end, and takes over if
 * it failed.
 *
 * If the store fails, the event is handled: to refuse it would lose it.
 */
export async function handleOnce(
  { store, window }: DedupeSettings,
  key: string,
  { owner, signal, onWait, onStoreError }: Claimant,
  handle: () => Promise<HandlersOutcome>,
): Promise<HandlersOutcome | 'duplicate' | 'duplicate_pending'> {
  const claim = async (otherwise: ClaimResult): Promise<ClaimResult> => {
    try {
      const answer = await inTime(store.claim(key, owner, LEASE));
      if (answer === 'new' || answer === 'pending' || answer === 'done') return answer;
      throw new WebhookError("The dedupe store must return 'new', 'pending' or 'done' for a claim.");
    } catch (error) {
      void onStoreError(error);
      return otherwise;
    }
  };
  const settle = async (outcome: HandlersOutcome): Promise<void> => {
    try {
      await inTime(outcome === 'handled' ? store.complete(key, owner, window) : store.release(key, owner));
    } catch (error) {
      void onStoreError(error);
    }
  };

  let claimed = await claim('new');
  if (claimed === 'pending') onWait();
  for (let wait = POLL.first; claimed === 'pending'; wait = Math.min(wait * 2, POLL.last)) {
    await sleep(wait, signal);
    if (signal.aborted) return 'duplicate_pending';
    // Another delivery holds the event, as far as is known: a store that fails now is no reason to handle it too.
    claimed = await claim('pending');
  }
  if (claimed === 'done') return 'duplicate';

  const stopRenewing = renewRegularly(() => claim('new'));
  let outcome: HandlersOutcome = 'handler_failed';
  try {
    outcome = await handle();
  } finally {
    await stopRenewing();
    await settle(outcome);
  }
  return outcome;
}

/** A store that takes too long has failed. One in memory responds at once, and needs no timer. */
function inTime<Answer>(answer: Answer | Promise<Answer>): Answer | Promise<Answer> {
  return answer instanceof Promise
    ? within(
        answer,
        STORE_TIMEOUT,
        () => new WebhookError(`The dedupe store did not respond within ${STORE_TIMEOUT} ms.`),
      )
    : answer;
}

/** Renews a claim while handlers run. Returns what ends that, after a renewal in progress: it would claim again what is released. */
function renewRegularly(renew: () => Promise<unknown>): () => Promise<unknown> | undefined {
  const every = LEASE / 3;
  // A handler that never settles does not hold its claim forever.
  let left = DEFAULT_WINDOW / every;
  let renewal: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    left -= 1;
    if (left < 0) clearInterval(timer);
    else renewal = renew();
  }, every);
  unref(timer);
  return () => {
    clearInterval(timer);
    return renewal;
  };
}
