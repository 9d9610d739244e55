import { bindMethods } from '../../utils/bound.js';
import type { Send } from '../call/send.js';

/** What the resources share: the function that they send with. Their methods can be taken off them. */
export abstract class Resource {
  /** @internal */
  declare protected readonly send: Send;

  constructor(send: Send) {
    // Not enumerable, so that it is not printed.
    Object.defineProperty(this, 'send', { value: send });
    bindMethods(this);
  }
}
