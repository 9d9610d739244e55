interface NodeCrypto {
  createHash(name: 'sha256'): { update(text: string): unknown; digest(form: 'hex'): string };
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

/** SHA-256 of texts in UTF-8, one after the other, as 64 hexadecimal digits. */
export async function sha256(...texts: readonly string[]): Promise<string> {
  const node = findNodeCrypto();
  // WebCrypto copies every text and sends it to another thread, which takes longer than hashing it here does.
  if (node !== undefined) {
    const hash = node.createHash('sha256');
    for (const text of texts) hash.update(text);
    return hash.digest('hex');
  }
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(texts.join('')));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
