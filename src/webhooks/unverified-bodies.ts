/** A body on its way in: being read, or read and waiting for what is said about its secret. */
export interface UnverifiedBody {
  /** The time at which the delivery arrived, in milliseconds. */
  readonly receivedAt: number;
  /** The bytes that it holds now. */
  heldBytes: number;
  /** Gives the body up, and lets its bytes go. Undefined where nothing can be taken back. */
  giveUp: ((reason: 'overloaded') => void) | undefined;
}

/**
 * Bounds the bytes that unverified bodies of one receiver hold in all. Anyone can send a body; and the service posts an event
 * once, so that what is given up has to be a stranger's. That is the body with the most bytes times the milliseconds for
 * which it was on its way: one that is small, or comes quickly, as the service's do, goes on.
 */
export class UnverifiedBodies {
  readonly #most: number;
  readonly #now: () => number;
  readonly #bodies = new Set<UnverifiedBody>();
  #bytes = 0;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Makes room for what a body is about to hold. Returns false where this very body was given up for it. */
  hold(body: UnverifiedBody, bytes: number): boolean {
    this.#bodies.add(body);
    this.#bytes += bytes - body.heldBytes;
    body.heldBytes = bytes;
    while (this.#bytes > this.#most) {
      const costliest = this.#costliest() ?? body;
      this.release(costliest);
      costliest.giveUp?.('overloaded');
      if (costliest === body) return false;
    }
    return true;
  }

  /** The body was verified, refused or given up. */
  release(body: UnverifiedBody): void {
    this.#bodies.delete(body);
    this.#bytes -= body.heldBytes;
    body.heldBytes = 0;
  }

  /** Looks at all of them, which happens only when there is no room. */
  #costliest(): UnverifiedBody | undefined {
    const now = this.#now();
    // A clock may be set back.
    const costOf = ({ heldBytes, receivedAt }: UnverifiedBody) =>
      heldBytes * Math.max(now - receivedAt + 1, 1);
    let costliest: UnverifiedBody | undefined;
    for (const body of this.#bodies) {
      if (body.giveUp === undefined) continue;
      if (costliest === undefined || costOf(body) > costOf(costliest)) costliest = body;
    }
    return costliest;
  }
}
