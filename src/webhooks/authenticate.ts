import { isObject } from '../utils/json.js';
import type { DecodedBody } from './body/decode.js';
import { parseBody } from './body/parse.js';
import { isNodeStream } from './body/streams.js';
import type { Deadline } from './deadline.js';
import { bodyHint, breakHint, UNREAD } from './hints.js';
import { Rejection } from './outcomes.js';
import { candidatesIn, type OwnerFinder, type SecretOwner } from './secrets/find.js';
import type { FindKnownOwner } from './secrets/known.js';

/** A body that carries a valid secret. Its event may still be of any type and shape. */
export interface AuthenticBody extends ReceivedEnvelope {
  /** The owner of the secret. */
  readonly owner: SecretOwner;
  /** The text that was received; undefined if a body parser was in front. */
  readonly text: string | undefined;
}

/** The parts of an envelope (specification, 6.1) as they were received. */
interface ReceivedEnvelope {
  readonly type: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The secret in the payload. */
  readonly secret: unknown;
  /** The names of all fields of the envelope, in their order. */
  readonly fields: readonly string[];
}

/** A body carries a secret that is wrong, or not known yet. */
class UnknownSecret extends Rejection {}

/**
 * Authenticates a body by the secret in its payload. One whose secret is unknown waits for newer secrets.
 *
 * Rejects with a {@link Rejection}, or with what the finder rejects with.
 */
export async function authenticate(
  body: DecodedBody,
  finder: OwnerFinder,
  deadline?: Deadline,
): Promise<AuthenticBody> {
  const startedAt = performance.now();
  for (;;) {
    try {
      const steps = authenticationOf(body, (candidate) => finder.find(candidate, deadline?.signal));
      let step = steps.next();
      while (step.done !== true) {
        const found = step.value;
        // Awaited only if need be: a body may contain a thousand candidates. Not by `instanceof`: a program may replace
        // `Promise` (zone.js, bluebird), and a promise would pass for an owner.
        step = steps.next(found && (await found));
      }
      return step.value;
    } catch (error) {
      if (!(error instanceof UnknownSecret)) throw error;
      if (!(await finder.renew?.(startedAt, deadline))) throw error;
    }
  }
}

/** The synchronous form of {@link authenticate}, for known secrets. */
export function authenticateSync(body: DecodedBody, findOwner: FindKnownOwner): AuthenticBody {
  const steps = authenticationOf(body, findOwner);
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value);
  return step.value;
}

/** The steps of an authentication: yields what `findOwner` returns, and goes on with the owner. */
function* authenticationOf<Found>(
  { text, parsed, headers }: DecodedBody,
  findOwner: (candidate: unknown) => Found,
): Generator<Found, AuthenticBody, SecretOwner | undefined> {
  // 1. Look for a valid secret in the text. Without one it is not parsed, which would take many times as
  // long, and as much memory.
  if (text !== undefined && text !== '') {
    let owner: SecretOwner | undefined;
    for (const candidate of candidatesIn(text)) {
      owner = yield findOwner(candidate);
      if (owner !== undefined) break;
    }
    if (owner === undefined) {
      const hint = bodyHint(text, headers);
      if (hint !== undefined) throw new Rejection('verification_failed', undefined, hint);
      const [first] = candidatesIn(text);
      throw unverified(text.includes('workspaceSecret') ? (first ?? '') : undefined);
    }
  }

  // 2. Parse it.
  const value = text === undefined ? parsed : parseBody(text);
  if (isNodeStream(value)) throw new Rejection('not_json', undefined, UNREAD);
  if (value === undefined) {
    const hint = text === undefined ? undefined : (bodyHint(text, headers) ?? breakHint(text));
    throw new Rejection('not_json', undefined, hint);
  }
  const { type, payload, secret, fields } = envelopeOf(value);

  // 3. Verify the payload's own secret, which may be another than the one in the text.
  const owner = yield findOwner(secret);
  if (owner === undefined) throw unverified(secret);
  return { type, payload, secret, fields, text, owner };
}

/** The secret of the forged events that `doctor` and `trigger --forged` post. No workspace has it. */
export const FORGED_SECRET = 'forged-by-agent-platform-sdk';

/** @param secret - Undefined if there is none. */
function unverified(secret: unknown): Rejection {
  if (secret === undefined) {
    const hint =
      'It has no `payload.workspaceSecret`, which every webhook of the service carries. ' +
      'Tool calls and other webhooks have their own format: this receiver takes events.';
    return new Rejection('verification_failed', undefined, hint);
  }
  const hint =
    secret === FORGED_SECRET
      ? 'It is a forged event of `agent-platform-sdk doctor` or `trigger --forged`, which expect this 401.'
      : 'Its `workspaceSecret` matches none of your secrets. ' +
        'Compare them with the workspace switcher of the dashboard.';
  return new UnknownSecret('verification_failed', undefined, hint);
}

/** Anything but an envelope carries no secret. */
function envelopeOf(value: unknown): ReceivedEnvelope {
  const envelope = isObject(value) ? value : {};
  const payload = isObject(envelope.payload) ? envelope.payload : {};
  return {
    type: envelope.type,
    payload,
    secret: Object.hasOwn(payload, 'workspaceSecret') ? payload.workspaceSecret : undefined,
    fields: Object.keys(envelope),
  };
}
