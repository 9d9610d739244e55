import { ByteJoiner } from '../ground/byte-joiner.js';
import type { AtDeadline } from './delivery.js';
import { Refusal } from './refusal.js';

/** Reads the body of a `Request`, and stops as soon as it is larger than the limit. */
export async function readRequest(
  request: Request,
  limit: number,
  atDeadline?: AtDeadline,
): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > limit) throw new Refusal('body_too_large', announced);
  const { body } = request;
  if (body === null) return new Uint8Array();
  if (request.bodyUsed) throw new Refusal('body_unreadable');
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(ignore);
  let overdue = false;
  atDeadline?.(() => {
    overdue = true;
    cancel();
  });
  try {
    const bytes = new ByteJoiner();
    const size = await bytes.addFrom(reader, limit);
    if (size > limit) throw new Refusal('body_too_large', size);
    // A cancelled reader ends as if the body had: what came is not the whole.
    if (overdue) throw new Refusal('body_unreadable', size);
    return bytes.joined;
  } catch (error) {
    cancel();
    throw error instanceof Refusal ? error : new Refusal('body_unreadable');
  }
}

function ignore(): void {
  // The body is given up: how its cancellation ends changes nothing.
}
