import { createVerifier, type Verifier, type WebhookSecrets } from './secrets.js';

const verifiers = /* @__PURE__ */ new WeakMap<object, Verifier>();
let latest: { readonly secret: string; readonly verifier: Verifier } | undefined;

/** A verifier that is made once for the same secrets: those who parse by themselves pass them with every webhook. */
export function verifierOf(secrets: WebhookSecrets): Verifier {
  if (typeof secrets === 'string') {
    if (latest?.secret !== secrets) latest = { secret: secrets, verifier: createVerifier(secrets) };
    return latest.verifier;
  }
  if (typeof secrets !== 'object' || secrets === null) return createVerifier(secrets);
  const existing = verifiers.get(secrets);
  if (existing !== undefined) return existing;
  const verifier = createVerifier(secrets);
  verifiers.set(secrets, verifier);
  return verifier;
}
