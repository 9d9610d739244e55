/** The answers of `/_fake`, as far as the page shows them. */
export interface State {
  readonly records: Readonly<Record<string, Readonly<Record<string, readonly Json[]>>>>;
  readonly subscriptions: readonly Json[];
  readonly faults: readonly Json[];
}
export type Json = Readonly<Record<string, unknown>>;

/** The parts of a fake that the page shows. */
export interface Shown {
  readonly state: State;
  readonly requests: readonly Json[];
  readonly deliveries: readonly Json[];
}

/** Asks the fake. Rejects with what it says is wrong. */
export async function ask(method: string, path: string, body?: object): Promise<Json> {
  const init =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, { method, ...init });
  const answer = (await response.json()) as Json & {
    message?: string;
    issues?: readonly { message: string }[];
  };
  if (response.ok) return answer;
  const issues = (answer.issues ?? []).map((issue) => `\n${issue.message}`).join('');
  throw new Error(`${answer.message ?? response.status}${issues}`);
}

export async function load(): Promise<Shown> {
  const [state, requests, deliveries] = await Promise.all(
    ['state', 'requests', 'deliveries'].map((name) => ask('GET', `/_fake/${name}`)),
  );
  return {
    // The shapes that `/_fake` answers.
    state: state as unknown as State,
    requests: requests?.requests as readonly Json[],
    deliveries: deliveries?.deliveries as readonly Json[],
  };
}

/** Calls back after each change, but once for a burst of them; and when the fake goes away or is back: browsers connect again by themselves. */
export function onChange(callback: () => void): void {
  let isWaiting = false;
  const soon = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    window.setTimeout(() => {
      isWaiting = false;
      callback();
    }, 50);
  };
  const source = new EventSource('/_fake/changes');
  for (const name of ['open', 'error', 'request', 'delivery', 'changed']) source.addEventListener(name, soon);
}

/** A value of any type as text. */
export function text(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
