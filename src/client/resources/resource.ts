import { bindMethods } from '../../utils/bound.js';
import type { Send } from '../call/send.js';

/** Gives each resource the function that it sends with, and binds its methods. */
export abstract class Resource {
  /** @internal */
  declare protected readonly send: Send;

  constructor(send: Send) {
    // Not enumerable, so that it is not printed.
    Object.defineProperty(this, 'send', { value: send });
    bindMethods(this);
  }
}
