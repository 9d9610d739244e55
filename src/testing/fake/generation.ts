/** The work of a fake between two resets. */
export class Generation {
  readonly #underWay = new Set<AbortController>();

  /** Begins a call or a delivery. The next reset aborts its signal, unless it is done by then. */
  begin(): { readonly ended: AbortSignal; readonly done: () => void } {
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
