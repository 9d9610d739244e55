// What a handler is told of its delivery, with a signal that few handlers look at.
import { microsPer, report } from '../measure.mjs';

const controllers = new WeakMap();

function signalOf(context) {
  const made = controllers.get(context) ?? new AbortController();
  controllers.set(context, made);
  return made.signal;
}

const shared = {
  enumerable: true,
  get() {
    return signalOf(this);
  },
};

class Context {
  constructor(receivedAt) {
    Object.defineProperty(this, 'signal', shared);
    this.deliveryId = 'delivery';
    this.receivedAt = receivedAt;
    Object.freeze(this);
  }
}

const ways = {
  'a signal made at once': (receivedAt) =>
    Object.freeze({ signal: new AbortController().signal, deliveryId: 'delivery', receivedAt }),
  'an accessor of its own': (receivedAt) =>
    Object.freeze({
      get signal() {
        return signalOf(this);
      },
      deliveryId: 'delivery',
      receivedAt,
    }),
  'an accessor shared by all': (receivedAt) => new Context(receivedAt),
};

/** Looked at as the log does, or a lazy compiler would not make it at all. */
let looked = 0;
for (const [way, make] of Object.entries(ways)) {
  const value = await microsPer(() => {
    looked += make(looked).receivedAt;
  });
  report('tried-context', way, value);
}
