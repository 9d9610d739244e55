import type { Clock } from 'agent-platform-sdk';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that moves only when a test moves it. */
export class ManualClock implements Clock {
  readonly timers = new Set<Timer>();
  #now = 1_760_000_000_000;

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const timer = { at: this.#now + ms, callback };
    this.timers.add(timer);
    return timer;
  }

  clearTimeout(handle: unknown): void {
    this.timers.delete(handle as Timer);
  }

  /** Moves on, and lets everything that becomes due run, together with what follows from it. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settle();
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settle();
    }
    this.#now = until;
  }

  #next(until: number): Timer | undefined {
    return [...this.timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
}

/** Lets pending promises settle. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
