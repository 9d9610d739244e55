/** Any host will do: only the path is looked at. */
const ORIGIN = 'http://localhost';
/** What a URL takes as it is. */
const PLAIN = /^[\w\-./%~!$&'()*+,;=:@?]*$/;
const FORM =
  'expected a path like "/tools/{toolId}", without host and "/v3"; in a request, replace the braces by ids';

/** Describes what is wrong with the path of an endpoint, whose parameters are in braces. */
export function templateProblem(path: unknown): string | undefined {
  // A parameter may have any name.
  const fixed = typeof path === 'string' ? path.replace(/\{[^{}]+\}/g, 'id') : path;
  return /[?#]|\/:/.test(String(fixed)) ? FORM : pathProblem(fixed);
}

/**
 * Describes what is wrong with a whole path, which may have a query.
 *
 * URL parsers drop `..` and `%2e%2e` and turn `\` into `/`, so that another operation would be called
 * (fingerprintjs/node-sdk#282, semantic-kernel#14086). Spaces and umlauts are only encoded.
 */
export function pathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string' || !/^\/(?!v3([/?]|$))[^{}?]*(\?|$)/.test(path)) return FORM;
  const { pathname, hash } = new URL(ORIGIN + path);
  const given = (path.split('?', 1)[0] ?? '').split('/');
  const sent = pathname.split('/');
  const isKept =
    sent.length === given.length && sent.every((one, at) => decoded(one) === decoded(given[at] ?? ''));
  return isKept && hash === ''
    ? undefined
    : `expected a path that URL parsing does not change; it would become ${pathname}`;
}

/** Decodes a segment, but for what is not UTF-8. */
function decoded(segment: string): string {
  return segment.replace(/(%[\da-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes.toUpperCase();
    }
  });
}

/** Returns a path that was checked as it is sent. */
export function encodePath(path: string): string {
  return PLAIN.test(path) ? path : new URL(ORIGIN + path).href.slice(ORIGIN.length);
}
