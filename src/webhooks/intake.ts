import { exceeds, parseBody, sizeOf } from './body.js';
import type { Delivery } from './delivery.js';
import { openEnvelope, removeSecret, type VerifiedDelivery } from './envelope.js';
import type { ReceiverSettings } from './receiver-options.js';
import { Refusal } from './refusal.js';
import type { Genuine } from './secrets.js';

/** What a server has of a request: its method, and a way to its body. */
export interface Incoming {
  readonly method: string | undefined;
  /** Reads the body, up to the limit and until the signal is aborted. Rejects with a {@link Refusal}. */
  readonly read: (limit: number, signal: AbortSignal) => unknown;
}

/** Reads and verifies a delivery; what comes out is genuine, and its secret gone. Rejects with a {@link Refusal}. */
export async function takeIn(
  { method, read }: Incoming,
  delivery: Delivery,
  { maxBodyBytes, verify }: Pick<ReceiverSettings, 'maxBodyBytes' | 'verify'>,
): Promise<VerifiedDelivery> {
  if (method?.toUpperCase() !== 'POST') throw new Refusal('method_not_allowed');
  const body = await readOrRefuse(read, maxBodyBytes, delivery.context.signal);
  if (exceeds(body, maxBodyBytes)) throw new Refusal('body_too_large', sizeOf(body));
  const parsed = parseBody(body);
  if (parsed === undefined) throw new Refusal('not_json', sizeOf(body));
  const envelope = openEnvelope(parsed.value);
  delivery.phase = 'verifying';
  const genuine = await asked(verify, envelope.presented);
  if (genuine === undefined) throw new Refusal('verification_failed', sizeOf(body));
  return removeSecret(envelope, genuine);
}

/** Some servers parse the body when it is first looked at, and throw then. */
async function readOrRefuse(read: Incoming['read'], limit: number, signal: AbortSignal): Promise<unknown> {
  try {
    return await read(limit, signal);
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('body_unreadable');
  }
}

async function asked(verify: ReceiverSettings['verify'], presented: unknown): Promise<Genuine | undefined> {
  try {
    return await verify(presented);
  } catch (error) {
    throw new Refusal('lookup_failed', undefined, error);
  }
}
