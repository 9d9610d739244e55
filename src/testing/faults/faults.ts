import type { Endpoint } from '../../endpoints/endpoint.js';
import type { Region } from '../../ground/regions.js';
import { MAX_TIMEOUT } from '../../validation/option-checks.js';
import { type Clock, sleep } from '../../webhooks/clock.js';
import { checkInput, InputError } from '../check-input.js';
import type { OperationName } from '../operations.js';
import { drawLatency, randomNumbers } from '../random.js';
import { isSameOperation, type Route } from '../route.js';
import { FAULT_KINDS, type Fault, type FaultKind, type FaultScope, faultSchema } from './fault.js';
import { type AnswerFault, type Door, strike } from './strike.js';

/** A fault, and which calls it strikes. */
export type FaultInput = Fault &
  FaultScope & {
    /** Only calls of this endpoint, or of the one with this key in `endpoints`. Default: all. */
    readonly endpoint?: Endpoint | OperationName | (string & {}) | undefined;
  };

/** A fault that was injected. */
export interface InjectedFault {
  /** `fault_1`: tells it from the others. */
  readonly id: string;
  /** The number of calls it will still strike; `Infinity` for `'always'`. */
  readonly remaining: number;
  /** Removes the fault. */
  remove(): void;
}

/** A fault that waits for its calls: as it was given, with the number of calls that remain. */
export type WaitingFault = Omit<FaultInput, 'endpoint' | 'times'> & {
  /** `fault_1`: tells it from the others. */
  readonly id: string;
  /** The name of the endpoint that it strikes; undefined for every one. */
  readonly endpoint: string | undefined;
  /** The number of calls it will still strike. */
  readonly remaining: number | 'always';
  /** The number of calls it has struck. */
  readonly struck: number;
};

/** The faults of a fake: they let the next calls go wrong. */
export interface Faults {
  /**
   * Lets something go wrong with the next call, with the next `times` calls, or with every one. Of several faults
   * that fit a call, the one that was injected first strikes; latencies are added to it.
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
  inject(input: FaultInput): InjectedFault;
  /** Lists the faults that still wait for calls, in the order of injection. */
  list(): readonly WaitingFault[];
  /** Removes a fault by its id. Returns false where it was not there: removed, or used up. */
  remove(id: string): boolean;
  /** Removes all faults. */
  clear(): void;
}

/** A call that a fault may strike. */
interface InterceptedCall {
  readonly region: Region;
  /** The name of the route; undefined for an unknown one. */
  readonly endpoint: string | undefined;
  readonly request: Request;
  readonly door: Door;
  /** Carries the operation out and gives its real answer. */
  readonly answer: () => Promise<Response>;
  /** Writes down which fault struck. */
  readonly struckBy: (fault: string) => void;
  /** Writes down a body that a fault answered with in place of the real one. */
  readonly answeredWith: (text: string) => void;
}

interface Entry {
  readonly id: string;
  readonly fault: Fault & FaultScope;
  /** The name of the route it strikes; undefined for every one. */
  readonly endpoint: string | undefined;
  readonly random: () => number;
  remaining: number;
  struck: number;
}

/** The faults that wait for their calls. */
export class FaultList implements Faults {
  readonly #routes: () => readonly Route[];
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #entries: readonly Entry[] = [];
  #last = 0;

  constructor(routes: () => readonly Route[], clock: Clock, onChange: () => void) {
    this.#routes = routes;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  inject(input: FaultInput): InjectedFault {
    const entry = this.#entryOf(input);
    this.#keep([...this.#entries, entry]);
    const remaining = (): number => (this.#entries.includes(entry) ? entry.remaining : 0);
    return {
      id: entry.id,
      get remaining() {
        return remaining();
      },
      remove: () => void this.remove(entry.id),
    };
  }

  /** Puts others in the place of all faults. Where one of them is wrong, it throws as `inject` does, and changes nothing. */
  replace(inputs: readonly FaultInput[]): void {
    this.#keep(inputs.map((input) => this.#entryOf(input)));
  }

  #entryOf(input: FaultInput): Entry {
    const endpoint = this.#nameOf(input.endpoint);
    const { endpoint: _, ...fault } = input;
    check(fault);
    const { times = 1, seed = 1 } = fault;
    this.#last += 1;
    return {
      id: `fault_${this.#last}`,
      fault,
      endpoint,
      random: randomNumbers(seed),
      remaining: times === 'always' ? Infinity : times,
      struck: 0,
    };
  }

  list(): readonly WaitingFault[] {
    return this.#entries.map(({ id, endpoint, remaining, struck, fault: { times: _, ...fault } }) => {
      return { ...fault, id, endpoint, remaining: remaining === Infinity ? 'always' : remaining, struck };
    });
  }

  remove(id: string): boolean {
    const others = this.#entries.filter((entry) => entry.id !== id);
    const wasThere = others.length < this.#entries.length;
    if (wasThere) this.#keep(others);
    return wasThere;
  }

  clear(): void {
    this.#keep([]);
  }

  #keep(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#onChange();
  }

  /** Stands between a request and its answer. */
  async intercept(call: InterceptedCall): Promise<Response> {
    const { region, endpoint, request, door, answer } = call;
    const struck = this.#take(region, endpoint);
    let wait = 0;
    let outcome: (AnswerFault & FaultScope) | undefined;
    for (const { fault, random } of struck) {
      if (fault.kind === 'latency') wait += drawLatency(fault.ms, random);
      else outcome = fault;
    }
    if (wait > 0) await sleep(this.#clock, Math.min(wait, MAX_TIMEOUT), request.signal);
    request.signal.throwIfAborted();
    if (outcome === undefined) return answer();
    call.struckBy(outcome.kind ?? 'status');
    const { answeredWith } = call;
    return strike(outcome, { answer, answeredWith, acts: outcome.acts, door, request, clock: this.#clock });
  }

  /** Every latency that strikes a call, and the first other fault that does. */
  #take(region: Region, endpoint: string | undefined): readonly Entry[] {
    const struck: Entry[] = [];
    let hasOutcome = false;
    for (const entry of this.#entries) {
      const isLatency = entry.fault.kind === 'latency';
      if ((!isLatency && hasOutcome) || !strikes(entry, region, endpoint)) continue;
      entry.remaining -= 1;
      entry.struck += 1;
      hasOutcome ||= !isLatency;
      struck.push(entry);
    }
    if (struck.length > 0) this.#keep(this.#entries.filter((entry) => entry.remaining > 0));
    return struck;
  }

  #nameOf(endpoint: FaultInput['endpoint']): string | undefined {
    if (endpoint === undefined) return undefined;
    const route = this.#routes().find((each) =>
      typeof endpoint === 'string' ? each.name === endpoint : isSameOperation(each.endpoint, endpoint),
    );
    if (route !== undefined) return route.name;
    const name = typeof endpoint === 'string' ? endpoint : `${endpoint.method} ${endpoint.path}`;
    const known = this.#routes().map((each) => each.name);
    throw new TypeError(`This fake has no endpoint "${name}". It has ${known.join(', ')}.`);
  }
}

function strikes(entry: Entry, region: Region, endpoint: string | undefined): boolean {
  const { fault } = entry;
  if (fault.region !== undefined && fault.region !== region) return false;
  if (entry.endpoint !== undefined && entry.endpoint !== endpoint) return false;
  return fault.rate === undefined || entry.random() < fault.rate;
}

/** Faults may come as JSON or from untyped code. */
function check(input: { readonly kind?: string | undefined }): void {
  const { kind = 'status' } = input;
  if (!FAULT_KINDS.includes(kind)) {
    throw new TypeError(`There is no fault of the kind "${kind}". There are ${FAULT_KINDS.join(', ')}.`);
  }
  // Just found among the kinds.
  const checked = checkInput(faultSchema(kind as FaultKind), input);
  if (!checked.ok) throw new InputError(`The fault "${kind}" is wrong`, checked.issues);
}
