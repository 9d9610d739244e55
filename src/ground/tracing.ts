/**
 * The names of the tracing channels of `node:diagnostics_channel` that this package publishes on, in runtimes that have the module (Node
 * 20.16 or newer, Bun, Deno): a call of the client, a delivery to a receiver, a job of an inbox. Each is a `TracingChannel`, with the events
 * `start`, `end`, `asyncStart`, `asyncEnd` and `error`; the message is a {@link DeliveryTrace} or a {@link JobTrace}.
 * Nothing is published, and nothing is spent, while nobody has subscribed.
 */
export const TRACING_CHANNELS = {
  /** A call of the client, with all its attempts. */
  call: 'agent-platform-sdk:call',
  /** A delivery to a receiver, from its first byte to its answer. */
  delivery: 'agent-platform-sdk:delivery',
  /** A run of the handlers for an event that an inbox has kept. */
  job: 'agent-platform-sdk:job',
} as const;

/** Loaded when first asked for; undefined where the runtime has none. Not by an import, which bundlers for browsers refuse. */
const findChannel = (name: string) =>
  globalThis.process?.getBuiltinModule?.('diagnostics_channel')?.tracingChannel<unknown, object>(name);

const channels = /* @__PURE__ */ new Map<string, ReturnType<typeof findChannel>>();

function channelFor(name: string) {
  if (!channels.has(name)) channels.set(name, findChannel(name));
  return channels.get(name);
}

/**
 * Runs something that is traced on a channel, if anyone listens there. `makeTrace` makes the message, which the run may fill; it is undefined
 * where nobody listens. What the run resolves with is not published: it may hold secrets.
 */
export function traced<Trace extends object, Result>(
  name: string,
  makeTrace: () => Trace,
  run: (trace: Trace | undefined) => Result,
): Result | Promise<Awaited<Result>> {
  const channel = channelFor(name);
  if (channel === undefined || !isHeard(channel)) return run(undefined);
  const trace = makeTrace();
  let running: Result | undefined;
  const ended = channel.tracePromise(async () => {
    running = run(trace);
    await running;
  }, trace);
  // The channel has begun the run before it returned.
  return ended.then(() => running as Awaited<Result>);
}

/** `hasSubscribers` of the whole channel came later than the module. */
function isHeard(channel: NonNullable<ReturnType<typeof findChannel>>): boolean {
  const { start, end, asyncStart, asyncEnd, error } = channel;
  return [start, end, asyncStart, asyncEnd, error].some(({ hasSubscribers }) => hasSubscribers);
}
