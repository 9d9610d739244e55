interface NodeCrypto {
  createHash(name: 'sha256'): { update(text: string): { digest(form: 'hex'): string } };
}

/**
 * Undefined where there is WebCrypto alone. Looked up for each text, which costs next to nothing, and not while this
 * module loads: Node takes three milliseconds to load its own module, which most programs that start never need.
 */
function findNodeCrypto(): NodeCrypto | undefined {
  // The cast reads what Node has since 20.16 and 22.3, and some other runtimes.
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => NodeCrypto | undefined };
  };
  return process?.getBuiltinModule?.('crypto');
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** UTF-16 units above which the event loop is worth more than the thread's way there and back. */
const LARGE = 256 * 1024;

/** SHA-256 of a text in UTF-8, as 64 hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  // WebCrypto sends every text to another thread, which costs ten times as much as hashing a small one.
  const node = text.length < LARGE ? findNodeCrypto() : undefined;
  if (node !== undefined) return node.createHash('sha256').update(text).digest('hex');
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
