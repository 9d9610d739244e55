import { isLoopback } from '../ground/loopback.js';

/** A name or an address, and a port. */
const HOST = /^(\[[\da-f:.]+\]|[^:/?#@\\\s]+)(:\d+)?$/i;

/** Tells whether a text is the name of a host or its address, without a port. */
export function isHostName(text: string): boolean {
  return HOST.exec(text)?.[1] === text;
}

/**
 * Tells whether the header `Host` names a place that no page of elsewhere can have as its own. A page on `evil.example` whose
 * name is made to lead to this machine (DNS rebinding) is of the same origin as the fake to its browser, and still sends
 * `Host: evil.example`. Nobody can have an address, a name without a dot, or a name under `localhost` or `internal`: containers
 * call each other by such names.
 *
 * @param allowed - More names, without a port.
 */
export function isOwnHost(header: string | undefined, allowed: readonly string[]): boolean {
  const name = HOST.exec(header ?? '')?.[1]?.toLowerCase();
  if (name === undefined) return false;
  const isAddress = name.startsWith('[') || /^\d+(\.\d+){3}$/.test(name);
  if (isAddress || !name.includes('.') || /\.(localhost|internal)$/.test(name)) return true;
  return allowed.some((each) => each.toLowerCase() === name);
}

/** The address to listen on, as a URL has it: IPv6 in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns an address for calling the server from this machine: `0.0.0.0` and `::` stand for all addresses, and cannot be called. */
export function callableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Tells whether only this machine reaches what listens on an address. */
export function isThisMachine(host: string): boolean {
  return isLoopback(hostInUrl(host).toLowerCase());
}

/**
 * An address that webhooks can be posted to, in the form of a URL.
 *
 * @throws {TypeError} When it is not an `http:` or `https:` address, or holds a password.
 */
export function targetAddress(field: string, text: string): string {
  return checkedTarget(text, (need) => {
    throw new TypeError(`${field} must be ${need}.`);
  });
}

/** @param refuse - Is given the words for what is needed, and throws. */
export function checkedTarget(text: string, refuse: (need: string) => never): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    return refuse(`an http: or https: address, got ${JSON.stringify(text)}`);
  }
  // `fetch` would refuse it when an event is there to be posted.
  if (url.username !== '' || url.password !== '') return refuse('an address without user name and password');
  return url.href;
}
