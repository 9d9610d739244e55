import type { Issue } from '../utils/issues.js';

/** The result of a call, with its HTTP response. */
export interface ApiResponse<Result> {
  /** The record that the method returns. */
  readonly data: Result;
  /**
   * Lists where the body does not match the API specification, with paths from its top:
   * `['data', 'name']`. Empty if it fits, and in `validation: 'off'`.
   */
  readonly drift: readonly Issue[];
  /** The HTTP response. Its body has been read. */
  readonly response: Response;
  /** `message` of the envelope (specification, 2.7). */
  readonly message: string | undefined;
}

/**
 * A method, whose parameters TypeScript compares bivariantly even under `strictFunctionTypes` (2.6): a
 * callback that annotates its reason, such as `(error: Error) => …`, fits too.
 */
type OnRejected<Rejected> = {
  bivariant(reason: unknown): Rejected | PromiseLike<Rejected>;
}['bivariant'];

/**
 * The promise of a call. Awaited, it gives the record.
 *
 * `.withResponse()` adds the drift, the HTTP response and the envelope's message. In a test, a plain promise with a
 * `withResponse` fits.
 *
 * @example
 * ```ts
 * import { AgentPlatform } from 'agent-platform-sdk';
 *
 * const platform = new AgentPlatform();
 * const { data, response, message } = await platform.tools.get('tool_1').withResponse();
 * console.log(data.name, response.status, message);
 * ```
 */
export interface ApiPromise<Result> extends Promise<Result> {
  /** Returns the record together with its drift, the HTTP response and the envelope's `message`. */
  withResponse(): Promise<ApiResponse<Result>>;
}

/** The promise that the client makes. */
export class PendingCall<Result> extends Promise<Result> implements ApiPromise<Result> {
  readonly #outcome: Promise<ApiResponse<Result>>;

  constructor(outcome: Promise<ApiResponse<Result>>) {
    // The promise's own state is never used: `then` below reads the outcome, so that a call that is used only
    // by `withResponse` leaves no second, unhandled rejection.
    super(() => undefined);
    this.#outcome = outcome;
  }

  /** Derived promises are ordinary ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  withResponse(): Promise<ApiResponse<Result>> {
    return this.#outcome;
  }

  // `catch` and `finally` call `then`, so overriding it is enough.
  // biome-ignore lint/suspicious/noThenProperty: this is a promise, and its `then` must be its own.
  override then<Fulfilled = Result, Rejected = never>(
    onFulfilled?: ((value: Result) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: OnRejected<Rejected> | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#outcome.then(({ data }) => data).then(onFulfilled, onRejected);
  }
}
