// One file to copy: spans and metrics of the client, the receiver and the inbox, for OpenTelemetry, by its conventions for HTTP and
// messaging. See main.ts for the three lines that switch it on.
import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import {
  type Context,
  type ContextManager,
  context,
  type Meter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import {
  type CallTrace,
  type DeliveryTrace,
  type Hooks,
  type JobTrace,
  TRACING_CHANNELS,
} from 'agent-platform-sdk';

/**
 * Keeps the active context in a store that the package's channels can be bound to, so that a span of theirs is active in all that a call,
 * a delivery or a job does. Give it to the SDK: `new NodeSDK({ contextManager })`, or `context.setGlobalContextManager(contextManager)`.
 */
export class ChannelContextManager implements ContextManager {
  readonly storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.storage.getStore() ?? ROOT_CONTEXT;
  }

  with<Args extends unknown[], Run extends (...args: Args) => ReturnType<Run>>(
    active: Context,
    run: Run,
    thisArg?: ThisParameterType<Run>,
    ...args: Args
  ): ReturnType<Run> {
    return this.storage.run(active, () => run.call(thisArg as never, ...args));
  }

  bind<Target>(active: Context, target: Target): Target {
    if (typeof target !== 'function') return target;
    const run = target as (...args: unknown[]) => unknown;
    const bound = (...args: unknown[]): unknown => this.storage.run(active, () => run(...args));
    // A function stays a function of the same signature.
    return bound as Target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.storage.disable();
    return this;
  }
}

/** Sends the id of the call's span to the service: `new AgentPlatform({ hooks: telemetryHooks })`. */
export const telemetryHooks: Hooks = {
  onRequest({ headers }) {
    propagation.inject(context.active(), headers, { set: (to, name, value) => to.set(name, value) });
  },
  onRetry({ delayMs, error }) {
    trace.getActiveSpan()?.addEvent('retry', { delayMs, reason: error.name });
  },
};

/** The attributes that the conventions ask of each span and metric of a message that is processed. */
const MESSAGING = {
  'messaging.system': 'agent_platform',
  'messaging.operation.name': 'process',
  'messaging.operation.type': 'process',
};

interface Instruments {
  readonly contextManager: ChannelContextManager;
  readonly tracer: Tracer;
  readonly meter: Meter;
}

/** Makes a span of each call, delivery and job, and measures how long they take. */
export function instrument({ contextManager, tracer, meter }: Instruments): void {
  const inSeconds = { unit: 's' };
  const callDuration = meter.createHistogram('http.client.request.duration', inSeconds);
  const deliveryDuration = meter.createHistogram('http.server.request.duration', inSeconds);
  const jobDuration = meter.createHistogram('messaging.process.duration', inSeconds);
  const calls = meter.createCounter('agent_platform.calls');
  const retries = meter.createCounter('agent_platform.call.retries');
  const deliveries = meter.createCounter('agent_platform.deliveries');
  const jobs = meter.createCounter('agent_platform.jobs');

  follow<CallTrace>(contextManager, TRACING_CHANNELS.call, {
    start: ({ method, route, region, baseUrl }) =>
      tracer.startSpan(`${method} ${route}`, {
        kind: SpanKind.CLIENT,
        attributes: {
          'http.request.method': method,
          'url.template': route,
          'server.address': new URL(baseUrl).hostname,
          'agent_platform.region': region,
        },
      }),
    end(span, { method, route, region, status, outcome = '', attempts = 0, durationMs = 0, error }) {
      const answered = status === undefined ? {} : { 'http.response.status_code': status };
      const failed = error === undefined ? {} : { 'error.type': error.type };
      span.setAttributes({ ...answered, ...failed, 'http.request.resend_count': Math.max(attempts - 1, 0) });
      const labels = {
        'http.request.method': method,
        'url.template': route,
        'agent_platform.region': region,
      };
      callDuration.record(durationMs / 1_000, { ...labels, ...answered, ...failed });
      calls.add(1, { ...labels, ...answered, ...failed, 'agent_platform.outcome': outcome });
      retries.add(Math.max(attempts - 1, 0), labels);
    },
  });

  follow<DeliveryTrace>(contextManager, TRACING_CHANNELS.delivery, {
    start(delivery) {
      const span = tracer.startSpan('POST webhook', { kind: SpanKind.SERVER });
      // An inbox keeps it with the event, and gives it to the job.
      propagation.inject(trace.setSpan(context.active(), span), delivery.traceContext, {
        set: (to, name, value) => Object.assign(to, { [name]: value }),
      });
      return span;
    },
    end(span, { type, status = 0, outcome = '', duplicate = false, durationMs = 0 }) {
      const labels = {
        'http.request.method': 'POST',
        'http.response.status_code': status,
        'agent_platform.outcome': outcome,
        // Undefined for what was not verified: a label must not take any value that a stranger sends.
        ...(type !== undefined && { 'agent_platform.event.type': type }),
      };
      span.setAttributes(labels);
      if (type !== undefined) span.updateName(`POST webhook ${type}`);
      deliveryDuration.record(durationMs / 1_000, labels);
      deliveries.add(1, { ...labels, 'agent_platform.duplicate': duplicate });
    },
  });

  follow<JobTrace>(contextManager, TRACING_CHANNELS.job, {
    start({ type, key, waitedMs, traceContext }) {
      const parent = propagation.extract(ROOT_CONTEXT, traceContext ?? {});
      const attributes = {
        ...MESSAGING,
        'messaging.message.id': key,
        'agent_platform.event.type': type,
        'agent_platform.waited': waitedMs / 1_000,
      };
      return tracer.startSpan(`process ${type}`, { kind: SpanKind.CONSUMER, attributes }, parent);
    },
    end(_, { type, outcome = 'failed', durationMs = 0 }) {
      const labels = { ...MESSAGING, 'agent_platform.event.type': type, 'agent_platform.outcome': outcome };
      jobDuration.record(durationMs / 1_000, labels);
      jobs.add(1, labels);
    },
  });
}

/** Measures how many events an inbox holds, and how long the next one has waited. */
export function observeInbox(
  meter: Meter,
  inbox: { health(): Promise<{ depth: number; oldestMs: number; deadLetters: number }> },
): void {
  const depth = meter.createObservableGauge('agent_platform.inbox.depth');
  const oldest = meter.createObservableGauge('agent_platform.inbox.oldest', { unit: 's' });
  const deadLetters = meter.createObservableGauge('agent_platform.inbox.dead_letters');
  meter.addBatchObservableCallback(
    async (result) => {
      const health = await inbox.health();
      result.observe(depth, health.depth);
      result.observe(oldest, health.oldestMs / 1_000);
      result.observe(deadLetters, health.deadLetters);
    },
    [depth, oldest, deadLetters],
  );
}

/** Starts a span with the message of a channel, keeps it active while that runs, and ends it. */
function follow<Message extends object>(
  { storage }: ChannelContextManager,
  name: string,
  { start, end }: { start: (message: Message) => Span; end: (span: Span, message: Message) => void },
): void {
  const spans = new WeakMap<Message, Span>();
  const channel = tracingChannel<Context, Message>(name);
  channel.start.bindStore(storage, (message) => {
    const span = start(message);
    spans.set(message, span);
    return trace.setSpan(context.active(), span);
  });
  channel.asyncStart.subscribe((published) => {
    // The channel publishes nothing else.
    const message = published as Message & { readonly error?: unknown };
    const span = spans.get(message);
    if (span === undefined) return;
    if (message.error instanceof Error) {
      // An error of the package shows no token and no marked field.
      span.recordException(message.error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: message.error.name });
    }
    end(span, message);
    span.end();
  });
}
