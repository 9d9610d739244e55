import { isObject } from '../utils/json.js';

// Finds results of handlers that were probably meant to do something.

const REFUSAL = 'false, an error or an error status, which has no effect: throw to refuse the event';
const UNSTARTED = ', which nobody runs: return a promise';

/**
 * Waits for each item of a list, as `items.map(async …)` returns it (graphile/crystal#397), and of the lists in it.
 *
 * Describes an item that does nothing. An item that is `false` or has a status is data.
 */
export async function problemInList(
  list: readonly unknown[],
  seen = new Set<unknown>(),
): Promise<string | undefined> {
  if (seen.has(list)) return undefined;
  seen.add(list);
  const problems = list.map(async (promise) => {
    const item: unknown = await promise;
    return Array.isArray(item) ? problemInList(item, seen) : problemWith(item, isRejection);
  });
  return (await Promise.all(problems)).find((problem) => problem !== undefined);
}

/** Describes a result that does nothing: work that is not started, or a failure that has no effect. */
export function problemWith(result: unknown, isFailure = meansFailure): string | undefined {
  if (typeof result === 'function') return `a function${UNSTARTED}`;
  if (isFailure(result)) return REFUSAL;
  // By `in`: assertions of chai, which handlers of tests return, throw for other names (chai 6.3, proxify).
  if (!isObject(result)) return undefined;
  // RxJS names it so (rxjs 7.8, internal/symbol/observable).
  const { observable = '@@observable' } = Symbol as { readonly observable?: symbol };
  if ('subscribe' in result || observable in result) return `an Observable${UNSTARTED}`;
  return 'next' in result && typeof result.next === 'function' ? `a generator${UNSTARTED}` : undefined;
}

/** Whether a result is an error, or a rejection that `Promise.allSettled` has caught. */
function isRejection(result: unknown): boolean {
  if (!isObject(result)) return false;
  return (
    result instanceof Error || ('reason' in result && 'status' in result && result.status === 'rejected')
  );
}

/** Whether a result means failure elsewhere: `false`, an error, `ok: false`, an `error`, or the status of one. */
function meansFailure(result: unknown): boolean {
  if (!isObject(result)) return result === false;
  // Own fields: to read `ok` of chai's assertions, which handlers of tests return, would run one.
  const hasFailed = (name: string) => Object.hasOwn(result, name) && result[name] === false;
  if (isRejection(result) || hasFailed('ok') || hasFailed('success')) return true;
  // Resend's and Supabase's clients return `{ data, error }`.
  if (Object.hasOwn(result, 'error') && Boolean(result.error)) return true;
  // By `in`, for those assertions too.
  const status = 'status' in result ? result.status : 'statusCode' in result && result.statusCode;
  return typeof status === 'number' && status >= 400;
}
