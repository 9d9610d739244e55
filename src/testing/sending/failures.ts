import type { WebhookReceiver } from '../../webhooks/receiver.js';
import { describeFailure } from './connection.js';
import type { DeliveryTarget, EventPost } from './post.js';

/** The failures of each receiver, by event. The response of a receiver never names them. */
const failuresOf = /* @__PURE__ */ new WeakMap<DeliveryTarget, Map<string, string>>();

/** Records what fails in a receiver of this package. Other targets have no `onRejected`. */
export function followFailures(target: DeliveryTarget): void {
  if (failuresOf.has(target) || !('onRejected' in target)) return;
  const failures = new Map<string, string>();
  failuresOf.set(target, failures);
  (target as WebhookReceiver).onError((error, { event }) => {
    if (event !== undefined) failures.set(JSON.stringify(event.payload), describeFailure(error));
  });
}

/** Returns what failed in the receiver of a post, once. */
export function takeFailure({ target, payload }: EventPost): string | undefined {
  if (typeof target === 'string') return undefined;
  const failures = failuresOf.get(target);
  const event = JSON.stringify(payload);
  const failure = failures?.get(event);
  failures?.delete(event);
  return failure;
}
