/**
 * Whether a host, in the form of `URL.hostname`, is certainly this machine.
 *
 * A name under `localhost` is not: browsers resolve it locally, but a server's resolver may ask the network.
 */
export function isLoopback(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname);
}
