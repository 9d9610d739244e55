/** What `fetch` rejects with when a connection is cut: the form that Node gives it. */
export function connectionReset(): TypeError {
  return connectionError('read ECONNRESET', 'ECONNRESET');
}

/** What `fetch` rejects with when no connection is made. */
export function connectionRefused(): TypeError {
  return connectionError('connect ECONNREFUSED', 'ECONNREFUSED');
}

function connectionError(message: string, code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}
