import type { EndpointInput, PagedEndpoint } from '../endpoints/endpoint.js';
import type { PageShape } from '../endpoints/response-shape.js';
import { ConfigurationError } from '../errors/index.js';
import { type Issue, typeName, wrongType } from '../utils/issues.js';
import type { ApiResponse } from './api-promise.js';
import type { Send } from './call/send.js';
import type { RequestOptions } from './options.js';

/** One page of a list. */
export interface Page<Row> extends Pick<ApiResponse<Row[]>, 'data' | 'drift' | 'response'> {
  /** The cursor of the next page, to go on from there later; undefined on the last page. */
  readonly nextCursor: string | number | undefined;
}

/** The rows of all pages of a list. Each `for await` starts anew, and `break` stops it. */
export interface PagedList<Row> extends AsyncIterable<Row> {
  /** Gives the pages one by one, with their cursor, drift and response. */
  pages(): AsyncIterable<Page<Row>>;
}

type Names = PageShape<unknown, unknown, string>['page'];
type Fields = Readonly<Record<string, unknown>>;

/** Makes the list of an endpoint. Nothing is sent until it is iterated. */
export function pagedList<Path extends string, Body, Query, Row>(
  send: Send,
  endpoint: PagedEndpoint<Path, Body, Query, unknown, Row>,
  input: EndpointInput<Path, Body, Query>,
  options: RequestOptions | undefined,
): PagedList<Row> {
  async function* pages(): AsyncGenerator<Page<Row>, void> {
    const names = (endpoint as Partial<typeof endpoint> | undefined)?.response?.page;
    if (names === undefined) {
      const message = `paginate: endpoint must have a response of withPage(), got ${typeName(endpoint)}.`;
      throw new ConfigurationError(message, { option: 'endpoint' });
    }
    // From JavaScript, the input may be anything: the first call says what is wrong.
    const query = (input as { readonly query?: Fields } | null)?.query;
    const seen = new Set<string>();
    const findIssues = (body: unknown) => pageIssues(body as Fields, names, seen);
    let given = input;
    // From JavaScript it may have another type: the first call refuses that.
    let cursor = query?.[names.cursor] as string | number | undefined;
    for (;;) {
      if (cursor !== undefined) seen.add(String(cursor));
      const { data, drift, response } = await send(endpoint, given, options, { findIssues }).withResponse();
      const body = data as Fields;
      // Both were just checked.
      const next = nextCursor(body, names) as string | number | undefined;
      const rows = body[names.data] as Row[];
      const isLast = next === undefined || seen.has(String(next));
      yield { data: rows, nextCursor: isLast ? undefined : next, drift, response };
      if (isLast) return;
      cursor = next;
      // The declaration of a page has a query with this field.
      given = { ...input, query: { ...query, [names.cursor]: next } } as typeof input;
    }
  }
  async function* rows(): AsyncGenerator<Row, void> {
    for await (const { data } of pages()) yield* data;
  }
  return { pages, [Symbol.asyncIterator]: rows };
}

/** Returns the cursor of the next page; undefined if this is the last. 0 is a cursor. */
function nextCursor(body: Fields, names: Names): unknown {
  const cursor = body[names.nextCursor];
  return body[names.hasMore] === false || cursor === null || cursor === '' ? undefined : cursor;
}

/**
 * Finds why the list cannot go on after a page, although it has not ended: it must never be cut off silently.
 *
 * @param seen - The cursors that were sent. After an empty page, one of them ends the list.
 */
function pageIssues(body: Fields, names: Names, seen: ReadonlySet<string>): Issue[] {
  const rows = body[names.data];
  const next = nextCursor(body, names);
  const isCursor = ['string', 'number'].includes(typeof next);
  let message: string | undefined;
  if (!Array.isArray(rows)) message = wrongType('array', rows);
  else if (!isCursor && (next !== undefined || body[names.hasMore])) message = wrongType('a cursor', next);
  else if (isCursor && rows.length > 0 && seen.has(String(next)))
    message = 'expected a new cursor, received one that was sent before';
  const path = [Array.isArray(rows) ? names.nextCursor : names.data];
  return message === undefined ? [] : [{ path, code: 'invalid_page', message }];
}
