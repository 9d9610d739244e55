import { exceeds, parseBody, sizeOf } from './body.js';
import { contentOf } from './dedupe-key.js';
import type { AtDeadline, Delivery } from './delivery.js';
import { openEnvelope, type ReceivedDelivery, removeSecret } from './envelope.js';
import type { ReceiverSettings } from './receiver-options.js';
import { Refusal, type RejectionReason } from './refusal.js';

/** What a server has of a request: its method, and a way to its body. */
export interface Incoming {
  readonly method: string | undefined;
  /** Reads the body, up to the limit and until the deadline. Rejects with a {@link Refusal}. */
  readonly read: (limit: number, atDeadline: AtDeadline) => unknown;
}

/** Reads and verifies a delivery; what comes out is genuine, and its secret gone. Rejects with a {@link Refusal}. */
export async function takeIn(
  { method, read }: Incoming,
  delivery: Delivery,
  { maxBodyBytes, verify }: Pick<ReceiverSettings, 'maxBodyBytes' | 'verify'>,
): Promise<ReceivedDelivery> {
  if (String(method).toUpperCase() !== 'POST') throw new Refusal('method_not_allowed');
  // Some servers parse the body when it is first looked at, and throw then.
  const body = await orRefuse('body_unreadable', () => read(maxBodyBytes, delivery.atDeadline));
  if (exceeds(body, maxBodyBytes)) throw new Refusal('body_too_large', sizeOf(body));
  const parsed = parseBody(body);
  if (parsed === undefined) throw new Refusal('not_json', sizeOf(body));
  const envelope = openEnvelope(parsed.value);
  delivery.phase = 'verifying';
  const genuine = await orRefuse('lookup_failed', () => verify(envelope.presented));
  if (genuine === undefined) throw new Refusal('verification_failed', sizeOf(body));
  const { type, payload, workspace, label } = removeSecret(envelope, genuine);
  // Written out: to spread it takes longer than to parse a small body.
  return { type, payload, workspace, label, content: () => contentOf(parsed, envelope) };
}

/** A step that fails refuses the delivery, for the reason it gives or for this one. */
function orRefuse<Result>(
  reason: RejectionReason,
  step: () => Result | Promise<Result>,
): Result | Promise<Result> {
  const refuse = (error: unknown): never => {
    if (error instanceof Refusal) throw error;
    // What a body parser throws quotes the body: only the error of a look-up is passed on.
    throw new Refusal(reason, undefined, reason === 'lookup_failed' ? error : undefined);
  };
  try {
    const result = step();
    return result instanceof Promise ? result.catch(refuse) : result;
  } catch (error) {
    return refuse(error);
  }
}
