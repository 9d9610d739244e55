import type { Endpoint } from '../../endpoints/endpoint.js';
import type { OperationName } from '../operation.js';
import type { Fault, FaultScope } from './fault.js';

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
  /** Removes the fault. */
  remove(): void;
}

/** What goes wrong with the next calls. */
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
  /** Removes all faults. */
  clear(): void;
}
