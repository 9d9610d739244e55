/** The work of a fake between two resets. */
export class Generation {
  readonly #underWay = new Set<AbortController>();

  /** Begins a piece of work, whose signal the next reset aborts. */
  begin(): Work {
    const controller = new AbortController();
    this.#underWay.add(controller);
    return { ended: controller.signal, done: () => void this.#underWay.delete(controller) };
  }

  /** Ends all work under way. */
  end(): void {
    for (const controller of this.#underWay) controller.abort(new Error('The fake was reset.'));
    this.#underWay.clear();
  }
}

/** A piece of work, such as a call or a delivery. */
interface Work {
  /** Aborted by a reset. */
  readonly ended: AbortSignal;
  /** From here on, a reset no longer aborts it. */
  readonly done: () => void;
}
