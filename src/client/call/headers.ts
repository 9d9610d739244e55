import { ConfigurationError, HookError } from '../../errors/index.js';
import { typeName } from '../../utils/issues.js';
import { headersProblem, tokenProblem } from '../settings.js';
import type { Attempt, Call } from './call.js';
import { hookCall } from './reporter.js';

/** The headers of one attempt, with a fresh token. */
export async function requestHeaders(
  call: Call,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const { options, request } = call;
  const token = await readToken(call);
  signal.throwIfAborted();
  attempt.token = token;
  return {
    ...(await runOnRequest(call, options.headers)),
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

/** Calls the token function at each attempt, so that a rotated token is used at once. */
async function readToken({ endpoint, options }: Call): Promise<string | undefined> {
  const { token } = options;
  if (endpoint.auth === 'none') return undefined;
  if (typeof token !== 'function') return token;
  const refuse = (what: string, cause?: unknown) => {
    const message = `The \`token\` function ${what}; ${endpoint.method} ${endpoint.path} was not sent`;
    return new ConfigurationError(message, { option: 'token', cause });
  };
  let given: string;
  try {
    given = await token();
  } catch (cause) {
    throw refuse('failed (see `error.cause`)', cause);
  }
  const problem = tokenProblem(given);
  if (problem !== undefined) throw refuse(`returned ${typeName(given)}: token ${problem}`);
  return given.trim();
}

/** Lets the hook add headers before an attempt is sent. Returns those to send, with names in lower case. */
async function runOnRequest(
  call: Call,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { request, endpoint, settings } = call;
  const { hooks, baseUrl } = settings;
  if (hooks.onRequest === undefined) return headers;
  const context = { ...hookCall(call), url: baseUrl + request.path, headers: new Headers(headers) };
  const refuse = (what: string, cause?: unknown) => {
    const message = `${request.method} ${endpoint.path} was not sent (attempt ${context.attempt})`;
    return new HookError(`${message}: the onRequest hook ${what}`, { hook: 'onRequest', cause });
  };
  try {
    await hooks.onRequest(context);
    // The client sets them itself.
    context.headers.delete('authorization');
    context.headers.delete('content-type');
  } catch (cause) {
    throw refuse('threw (see `error.cause`)', cause);
  }
  const problem = headersProblem(context.headers);
  if (problem !== undefined) throw refuse(`set headers that ${problem}`);
  return Object.fromEntries(context.headers);
}
