import { ConfigurationError } from '../../errors/index.js';
import type { Send } from '../call/send.js';

/** What the resources share: the function that they send with. */
export abstract class Resource {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /**
   * Returns the function of a resource.
   *
   * @param resource - `this` of a method, which is missing if the method was passed on by itself.
   * @internal
   */
  protected static sendOf(resource: Resource | undefined): Send {
    if (resource !== undefined) return resource.#send;
    throw new ConfigurationError(
      'A method was called without its resource. Call it there: ids.map((id) => platform.tools.get(id))',
      { option: 'this' },
    );
  }
}
