import { changesStream } from '../changes.js';
import { InputError } from '../check-input.js';
import { errorResponse, isJson, issueLines, jsonResponse } from '../http-json.js';
import {
  type ControlAction,
  type ControlCall,
  ControlError,
  NOTHING,
  readBody,
  readQuery,
  type Steered,
} from './action.js';
import { recordActions } from './record-actions.js';
import { serviceActions } from './service-actions.js';
import { webhookActions } from './webhook-actions.js';

/** Everything that a fake does below `/_fake`, if it was started by `listen({ control: true })`. */
const controlActions: readonly ControlAction[] = [...recordActions, ...webhookActions, ...serviceActions];

/** Answers a request below `/_fake`: for the page, and for people whose tests are not in JavaScript. */
export async function control(steered: Steered, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const below = pathname.replace(/^\/_fake\/?/, '/');
  if (request.method === 'GET' && below === '/changes') return changesStream(steered.changes, request.signal);
  const fitting = controlActions.flatMap((action) => {
    const path = matchAction(action.path, below);
    return path === undefined ? [] : [{ action, path }];
  });
  const found = fitting.find(({ action }) => action.method === request.method);
  if (found === undefined) return notFound(fitting.map(({ action }) => action));
  try {
    // A page in a browser cannot send this content type elsewhere without asking first, and is not answered.
    if (request.method === 'POST' && !isJson(request)) {
      throw new ControlError('The content type must be application/json.');
    }
    return jsonResponse(await perform(found.action, found.path, searchParams, steered, request), 200);
  } catch (error) {
    return refusal(error);
  }
}

async function perform(
  { query, body, run }: ControlAction,
  path: Readonly<Record<string, string>>,
  search: URLSearchParams,
  steered: Steered,
  request: Request,
): Promise<unknown> {
  const call: ControlCall<unknown, unknown> = {
    ...steered,
    path,
    query: readQuery(query ?? NOTHING, search),
    body: await readBody(body ?? NOTHING, request),
  };
  // Body and query fit the schemas by which `action` has typed its function.
  return run(call as ControlCall<never, never>);
}

function refusal(error: unknown): Response {
  const code = 'invalid_control';
  if (error instanceof InputError) {
    const [what = ''] = error.message.split('\n');
    return errorResponse(400, code, `${what}.`, issueLines(error.issues));
  }
  const status = error instanceof ControlError ? error.status : 400;
  return errorResponse(status, code, error instanceof Error ? error.message : String(error));
}

function notFound(others: readonly ControlAction[]): Response {
  if (others.length > 0) {
    const methods = others.map(({ method }) => method).join(', ');
    const response = errorResponse(405, 'unknown_control', `Here is only ${methods}.`);
    response.headers.set('allow', methods);
    return response;
  }
  const known = controlActions.map(({ method, path }) => `${method} /_fake${path}`);
  return errorResponse(404, 'unknown_control', `There is ${known.join(', ')}, GET /_fake/changes.`);
}

/** The values of `{…}` in a path; a last `{id}` takes what follows. */
function matchAction(template: string, path: string): Record<string, string> | undefined {
  const names: string[] = [];
  const pattern = template.replace(/\{(\w+)\}/g, (whole, name: string, at: number) => {
    names.push(name);
    return name === 'id' && at + whole.length === template.length ? '(.+)' : '([^/]+)';
  });
  const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1);
  if (values === undefined) return undefined;
  return Object.fromEntries(names.map((name, index) => [name, decoded(values[index] ?? '')]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // Not a percent-encoding: the text is meant.
  }
}
