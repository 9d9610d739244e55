import { isLoopback } from '../../utils/loopback.js';

/** A name or an address, and a port. */
const HOST_PATTERN = /^(\[[\da-f:.]+\]|[^:/?#@*\\\s]+)(:\d+)?$/i;

/** Returns whether a text is a host name or a suffix such as `.app.github.dev`. */
export function isHostName(text: unknown): boolean {
  const match = typeof text === 'string' && text !== '.' ? HOST_PATTERN.exec(text) : null;
  return match !== null && match[2] === undefined;
}

/**
 * Returns whether no foreign page can send this header `Host`. With DNS rebinding, a page of
 * `evil.example` has the same origin as the fake to its browser, but still sends `Host: evil.example`. Nobody
 * can own an address, a name without a dot, or a name under `localhost` (RFC 6761) or `internal` (reserved by
 * ICANN for private use): containers call each other by such names.
 *
 * @param allowed - More names, without a port. `.example.com` is that domain and all names under it.
 */
export function isOwnHost(header: string | undefined, allowed: readonly string[]): boolean {
  const name = HOST_PATTERN.exec(header ?? '')?.[1]?.toLowerCase();
  if (name === undefined) return false;
  const isAddress = name.startsWith('[') || /^\d+(\.\d+){3}$/.test(name);
  if (isAddress || !name.includes('.') || /\.(localhost|internal)$/.test(name)) return true;
  return allowed.some((each) => {
    const own = each.toLowerCase();
    return own.startsWith('.') ? `.${name}`.endsWith(own) : own === name;
  });
}

/** The host in a URL: IPv6 in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The address for calls from this machine: `0.0.0.0` and `::` mean all addresses, and cannot be called. */
export function callableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Returns whether only this machine can reach an address. */
export function isThisMachine(host: string): boolean {
  return isLoopback(hostInUrl(host).toLowerCase());
}
