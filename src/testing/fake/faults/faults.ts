import * as z from 'zod/v4/mini';
import type { Endpoint } from '../../../endpoints/endpoint.js';
import { flag } from '../../../schemas/fields.js';
import { isObject } from '../../../utils/json.js';
import { REGIONS, type Region } from '../../../utils/regions.js';
import { sleep } from '../../../utils/waiting.js';
import { checkedBy, checkName, checkOptions, oneOf } from '../../../validation/check-options.js';
import type { OperationName } from '../operations.js';
import type { Answer } from '../responses.js';
import { endpointProblem, nameOf, type Route } from '../route.js';
import {
  type AnswerFault,
  FAULT_KINDS,
  type Fault,
  type FaultedCall,
  type FaultKind,
  faultTable,
} from './kinds.js';

/** The calls that a fault applies to. */
export interface FaultScope {
  /** The number of calls that it answers. Default 1; `'always'` for a rate limit. */
  readonly times?: number | 'always' | undefined;
  /** Only calls of this region. */
  readonly region?: Region | undefined;
  /** Only calls of this endpoint, or of the one with this key in `endpoints`. Default: all. */
  readonly endpoint?: Endpoint | OperationName | (string & {}) | undefined;
  /**
   * Performs the operation all the same, so that the client cannot know. Default false; always true for the
   * faults that need the real response (`truncated`, `stall`, `latency`, `reset` in the body).
   */
  readonly acts?: boolean | undefined;
}

/** A fault, and the calls it applies to. */
export type FaultInput = Fault & FaultScope;

/** A fault that waits for calls. */
export type WaitingFault = Fault &
  Omit<FaultScope, 'endpoint' | 'times'> & {
    /** `fault_1`. */
    readonly id: string;
    /** The name of the endpoint. Undefined for all endpoints. */
    readonly endpoint: string | undefined;
    /** The number of calls it will still apply to. */
    readonly remaining: number | 'always';
    /** The number of calls it was applied to. */
    readonly hits: number;
  };

/** The faults that a call meets. */
export interface TakenFaults {
  /** Milliseconds before anything else. */
  readonly delay: number;
  readonly fault: WaitingFault | undefined;
  /** Seconds until a rate limit allows another call. */
  readonly retryAfter: number;
}

export const NO_FAULTS: TakenFaults = { delay: 0, fault: undefined, retryAfter: 0 };

/** Answers a call as its faults have it. Rejects like `fetch` if they leave no response. */
export async function answerFaulted(
  { delay, fault, retryAfter }: TakenFaults,
  { signal, perform }: Omit<FaultedCall, 'retryAfter'>,
): Promise<Answer> {
  if (delay > 0) await sleep(delay, signal);
  signal.throwIfAborted();
  if (fault === undefined) return perform();
  // The types of the table tie each row to its kind; a look-up by name cannot.
  const answer = faultTable[fault.kind ?? 'status'].answer as AnswerFault<Fault>;
  return answer(fault, { signal, perform, retryAfter });
}

/** The faults of a fake. */
export class Faults {
  readonly #routes: () => readonly Route[];
  readonly #onChange: () => void;
  #waiting: readonly WaitingFault[] = [];
  /** When each rate limit allowed its latest calls. */
  readonly #allowed = new Map<string, readonly number[]>();
  #lastId = 0;

  /** @internal */
  constructor(routes: () => readonly Route[], onChange: () => void) {
    this.#routes = routes;
    this.#onChange = onChange;
  }

  /**
   * Injects a failure into the next call, the next `times` calls, or every call. If several match, the first
   * one applies; latencies are added to it.
   *
   * @throws {ConfigurationError} If a field is wrong, or the endpoint is unknown to this fake.
   *
   * @example
   * ```ts
   * import { endpoints } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * fake.faults.inject({ endpoint: endpoints.getTool, times: 2, status: 503, retryAfter: 1 });
   * fake.faults.inject({ kind: 'reset', at: 'body' });
   * fake.faults.inject({ kind: 'latency', ms: 80, times: 'always' });
   * fake.faults.inject({ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' });
   * fake.faults.inject({ kind: 'rate-limit', limit: 10, per: 1_000 }); // 10 calls a second
   * ```
   */
  inject(input: FaultInput): WaitingFault {
    const { kind = 'status' } = isObject(input) ? input : {};
    checkName('fault', kind, FAULT_KINDS);
    checkOptions(schemaOf(kind), input, { of: 'faults.inject' });
    const { times = kind === 'rate-limit' ? 'always' : 1, ...fault } = input;
    const endpoint = this.#nameOf(input.endpoint);
    this.#lastId += 1;
    const id = `fault_${this.#lastId}`;
    // The schema has checked the fields of this kind.
    const waiting = { ...fault, kind, endpoint, id, remaining: times, hits: 0 } as WaitingFault;
    this.#keep([...this.#waiting, waiting]);
    return waiting;
  }

  /** Lists the faults that wait for calls, in the order of injection. */
  list(): readonly WaitingFault[] {
    return this.#waiting;
  }

  /** Removes a fault by its id. Returns false if it is already removed or used up. */
  remove(id: string): boolean {
    const others = this.#waiting.filter((fault) => fault.id !== id);
    const wasThere = others.length < this.#waiting.length;
    if (wasThere) this.#keep(others);
    return wasThere;
  }

  /** Removes all faults. */
  clear(): void {
    this.#lastId = 0;
    this.#allowed.clear();
    this.#keep([]);
  }

  /**
   * Uses up the faults of a call: every matching latency, and the first other one.
   *
   * @internal
   */
  take(region: Region, endpoint: string | undefined): TakenFaults {
    const matching = this.#waiting.filter(
      (fault) => (fault.region ?? region) === region && (fault.endpoint ?? endpoint) === endpoint,
    );
    const first = matching.find((fault) => fault.kind !== 'latency' && !this.#countIfAllowed(fault));
    const taken = matching.filter((fault) => fault === first || fault.kind === 'latency');
    if (taken.length === 0) return NO_FAULTS;
    const counted = this.#waiting.map((fault) => (taken.includes(fault) ? afterHit(fault) : fault));
    this.#keep(counted.filter(({ remaining }) => remaining !== 0));
    const delay = taken.reduce((sum, fault) => sum + (fault.kind === 'latency' ? fault.ms : 0), 0);
    return { delay, fault: first, retryAfter: first === undefined ? 0 : this.#secondsUntilAllowed(first) };
  }

  #keep(waiting: readonly WaitingFault[]): void {
    this.#waiting = waiting;
    this.#onChange();
  }

  /** Counts a call, if the fault is a rate limit that still allows it. Returns whether it does. */
  #countIfAllowed(fault: WaitingFault): boolean {
    if (fault.kind !== 'rate-limit') return false;
    const now = Date.now();
    // A clock that was set back forgets the calls.
    const allowed = (this.#allowed.get(fault.id) ?? []).filter((at) => Math.abs(now - at) < fault.per);
    const isAllowed = allowed.length < fault.limit;
    this.#allowed.set(fault.id, isAllowed ? [...allowed, now] : allowed);
    return isAllowed;
  }

  #secondsUntilAllowed(fault: WaitingFault): number {
    if (fault.kind !== 'rate-limit') return 0;
    const [oldest = 0] = this.#allowed.get(fault.id) ?? [];
    return Math.max(1, Math.ceil((oldest + fault.per - Date.now()) / 1_000));
  }

  #nameOf(endpoint: FaultScope['endpoint']): string | undefined {
    if (endpoint === undefined) return undefined;
    const routes = this.#routes();
    const name = typeof endpoint === 'string' ? endpoint : nameOf(endpoint, routes);
    const names = routes.map((route) => route.name);
    checkName('endpoint', name, names);
    return name;
  }
}

function afterHit(fault: WaitingFault): WaitingFault {
  const remaining = fault.remaining === 'always' ? fault.remaining : fault.remaining - 1;
  return { ...fault, remaining, hits: fault.hits + 1 };
}

function timesProblem(times: unknown): string | undefined {
  const isCount = Number.isInteger(times) && Number(times) >= 1;
  return isCount || times === 'always' ? undefined : "must be a whole number, 1 or more, or 'always'";
}

function schemaOf(kind: FaultKind): z.core.$ZodType {
  return z.strictObject({
    kind: z.optional(z.literal(kind)),
    times: z.optional(checkedBy(timesProblem)),
    region: z.optional(oneOf(REGIONS)),
    endpoint: z.optional(
      checkedBy((value) => (typeof value === 'string' ? undefined : endpointProblem(value))),
    ),
    acts: flag,
    ...faultTable[kind].fields,
  });
}
