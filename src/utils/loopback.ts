/**
 * Whether a host, as `URL.hostname` has it, is this machine alone. A name under `localhost` need not be: browsers keep it
 * here, but the resolver of a server may ask the network for it.
 */
export function isLoopback(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname);
}
