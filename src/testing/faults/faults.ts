import * as z from 'zod/mini';
import type { Endpoint } from '../../endpoint.js';
import { describeIssue, formatIssues, fromZodIssues } from '../../issues.js';
import type { Region } from '../../regions.js';
import { type Clock, sleep } from '../../webhooks/clock.js';
import type { OperationName } from '../operation.js';
import type { Route } from '../route.js';
import type { Interception } from '../service.js';
import { FAULT_KINDS, type Fault, type FaultKind, type FaultScope, faultSchema } from './fault.js';
import { drawLatency, randomNumbers } from './random.js';
import { type Outcome, strike } from './strike.js';

/** A fault, and which calls it strikes. */
export type FaultInput = Fault &
  FaultScope & {
    /** Only calls of this endpoint, or of the one with this key in `endpoints`. Default: all. */
    readonly endpoint?: Endpoint | OperationName | (string & {}) | undefined;
  };

/** A fault that was injected. */
export interface InjectedFault {
  /** How many calls it will still strike; `Infinity` for `'always'`. */
  readonly remaining: number;
  /** Takes it away. */
  remove(): void;
}

interface Entry {
  readonly fault: Fault;
  readonly scope: FaultScope;
  readonly endpoint: string | undefined;
  readonly random: () => number;
  remaining: number;
}

/** What goes wrong with the next calls. */
export class Faults {
  readonly #routes: () => readonly Route[];
  readonly #clock: Clock;
  #entries: readonly Entry[] = [];

  constructor(routes: () => readonly Route[], clock: Clock) {
    this.#routes = routes;
    this.#clock = clock;
  }

  /**
   * Lets something go wrong with the next call, with the next `times` calls, or with every one. Of several faults
   * that fit a call, the one that was injected first strikes; latencies go together with it.
   *
   * @throws {TypeError} When a field is wrong, or the endpoint is not known to this fake.
   *
   * @example
   * ```ts
   * import { endpoints } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * fake.faults.inject({ endpoint: endpoints.getTool, times: 2, status: 503, retryAfter: 1 });
   * fake.faults.inject({ kind: 'reset', at: 'body' });
   * fake.faults.inject({ kind: 'latency', ms: { median: 80, p99: 900 }, times: 'always', seed: 7 });
   * ```
   */
  inject(input: FaultInput): InjectedFault {
    const endpoint = this.#nameOf(input.endpoint);
    const { endpoint: _, ...fault } = input;
    check({ ...fault, ...(endpoint !== undefined && { endpoint }) });
    const { times = 1, seed = 1 } = input;
    const entry: Entry = {
      fault,
      scope: fault,
      endpoint,
      random: randomNumbers(seed),
      remaining: times === 'always' ? Infinity : times,
    };
    this.#entries = [...this.#entries, entry];
    return {
      get remaining() {
        return entry.remaining;
      },
      remove: () => {
        entry.remaining = 0;
      },
    };
  }

  /** Takes all faults away. */
  clear(): void {
    this.#entries = [];
  }

  /** Stands between each request and its answer. */
  readonly intercept: Interception = async (exchange, answer) => {
    const { region, endpoint, request, door } = exchange;
    const struck = this.#take(region, endpoint);
    let wait = 0;
    let outcome: { fault: Outcome; acts: boolean | undefined } | undefined;
    for (const { fault, scope, random } of struck) {
      if (fault.kind === 'latency') wait += drawLatency(fault.ms, random);
      else outcome = { fault, acts: scope.acts };
    }
    if (wait > 0) await sleep(this.#clock, wait, request.signal);
    request.signal.throwIfAborted();
    if (outcome === undefined) return answer();
    exchange.struckBy(outcome.fault.kind ?? 'status');
    return strike(outcome.fault, { answer, acts: outcome.acts, door, request, clock: this.#clock });
  };

  /** Every latency that strikes a call, and the first other fault that does. */
  #take(region: Region, endpoint: string | undefined): readonly Entry[] {
    const struck: Entry[] = [];
    let hasOutcome = false;
    for (const entry of this.#entries) {
      const isLatency = entry.fault.kind === 'latency';
      if ((!isLatency && hasOutcome) || !strikes(entry, region, endpoint)) continue;
      entry.remaining -= 1;
      hasOutcome ||= !isLatency;
      struck.push(entry);
    }
    this.#entries = this.#entries.filter((entry) => entry.remaining > 0);
    return struck;
  }

  #nameOf(endpoint: FaultInput['endpoint']): string | undefined {
    if (endpoint === undefined) return undefined;
    const route = this.#routes().find((each) => each.endpoint === endpoint || each.name === endpoint);
    if (route !== undefined) return route.name;
    const name = typeof endpoint === 'string' ? endpoint : `${endpoint.method} ${endpoint.path}`;
    const known = this.#routes().map((each) => each.name);
    throw new TypeError(`This fake has no endpoint "${name}". It has ${known.join(', ')}.`);
  }
}

function strikes(entry: Entry, region: Region, endpoint: string | undefined): boolean {
  const { scope } = entry;
  if (entry.remaining <= 0) return false;
  if (scope.region !== undefined && scope.region !== region) return false;
  if (entry.endpoint !== undefined && entry.endpoint !== endpoint) return false;
  return scope.rate === undefined || entry.random() < scope.rate;
}

/** Faults may come as JSON or from untyped code. */
function check(input: { readonly kind?: string | undefined }): void {
  const { kind = 'status' } = input;
  if (!FAULT_KINDS.includes(kind)) {
    throw new TypeError(`There is no fault "${kind}". There are ${FAULT_KINDS.join(', ')}.`);
  }
  // Just found among the kinds.
  const result = z.safeParse(faultSchema(kind as FaultKind), input, { error: describeIssue });
  if (result.success) return;
  throw new TypeError(`The fault "${kind}" is wrong${formatIssues(fromZodIssues(result.error.issues))}`);
}
