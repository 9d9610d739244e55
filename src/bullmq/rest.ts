import type { Worker } from 'bullmq';

/** Milliseconds of the first rest, doubled up to the longest while Redis goes on refusing. */
const FIRST = 100;
const LONGEST = 5_000;

/** Lets a worker rest when Redis refuses a command. BullMQ would try again at once, thousands of times a second. */
export class Rest {
  readonly #worker: Worker;
  #ms = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Takes no events for a while. Those in work go on. */
  begin(): void {
    if (this.#timer !== undefined) return;
    this.#ms = Math.min(Math.max(this.#ms * 2, FIRST), LONGEST);
    void this.#worker.pause(true);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#worker.resume();
    }, this.#ms);
  }

  /** Redis has taken a command: the next rest is a short one again. */
  forget(): void {
    this.#ms = 0;
  }

  /** Rests no more, because the worker closes. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
