/** The characters of an address that are kept. */
const MAX_ADDRESS_LENGTH = 200;

/** Whether a status leads to another address. */
export function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 400;
}

/**
 * The address that a redirect leads to, without user name, password and query. Undefined if the response is none, or
 * names no `http:` or `https:` address.
 *
 * @param from - The address that responded, because a `location` may be relative.
 */
export function redirectedTo(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  from: string,
): string | undefined {
  const location = isRedirect(status) ? headers.get('location') : null;
  if (location === null || !URL.canParse(location, from)) return undefined;
  const { protocol, host, pathname } = new URL(location, from);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  const address = `${protocol}//${host}${pathname}`;
  return address.length > MAX_ADDRESS_LENGTH ? `${address.slice(0, MAX_ADDRESS_LENGTH)}…` : address;
}
