/** Tells whether a host, as `URL.hostname` has it, is this machine alone. */
export function isLoopback(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.*\.)?localhost)$/.test(hostname);
}
