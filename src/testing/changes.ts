import type { FakeRequest } from './fake/log.js';
import type { DeliveryRecord } from './sending/post.js';

/** A change in a fake. */
export type FakeChange =
  | {
      /** A request has arrived, or has got its response. */
      readonly type: 'request';
      /** The request. */
      readonly request: FakeRequest;
    }
  | {
      /** A delivery has begun, or has ended. */
      readonly type: 'delivery';
      /** The delivery. */
      readonly delivery: DeliveryRecord;
    }
  | {
      /** Something was added, changed or removed. */
      readonly type: 'changed';
      /** The kind of thing. */
      readonly what: 'records' | 'faults' | 'subscriptions' | 'requests' | 'deliveries';
    };

type ChangedKind = Extract<FakeChange, { readonly type: 'changed' }>['what'];

/** Emits the changes of a fake to those who watch it: `onChange`, the page, the command. */
export class ChangeEmitter {
  readonly #listeners = new Set<(change: FakeChange) => void>();

  /** Calls a listener with each change. Returns a function that ends this. */
  listen(listener: (change: FakeChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  readonly emit = (change: FakeChange): void => {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        // Not an error of the request: thrown outside of it, so that the test runner reports it.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };

  /** Returns a function that emits a change of a kind of thing. */
  readonly changed = (what: ChangedKind) => (): void => this.emit({ type: 'changed', what });
}
