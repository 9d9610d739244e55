// OpenTelemetry: spans of each call, its attempts and each delivery, from the hooks of the client and of the receiver.
// Here spans are kept in memory and printed; use the exporter of your choice. The same hooks can feed
// metrics.
// Run it with: npx tsx examples/opentelemetry/main.ts
import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  AgentPlatform,
  type AgentPlatformError,
  createWebhookReceiver,
  endpoints,
  type Hooks,
  type WebhookReceiverHooks,
} from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';

// Do this once in a program. `NodeSDK` does it too.
const spans = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));

const tracer = trace.getTracer('agent-platform');

/** The spans of a call under way. */
interface CallSpans {
  readonly call: Span;
  attempt?: Span | undefined;
}
const calls = new Map<string, CallSpans>();

/**
 * For `new AgentPlatform({ hooks })`: a span for each call, and below it one for each attempt. They replace those of
 * `@opentelemetry/instrumentation-undici`, which knows nothing of calls.
 */
const clientHooks: Hooks = {
  onRequest({ callId, method, route, region, attempt }) {
    const attributes = { 'http.request.method': method, 'url.template': route };
    const spans: CallSpans = calls.get(callId) ?? {
      call: tracer.startSpan(`${method} ${route}`, {
        attributes: { ...attributes, 'agent_platform.region': region },
      }),
    };
    calls.set(callId, spans);
    const resends = attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {};
    spans.attempt = tracer.startSpan(
      method,
      { kind: SpanKind.CLIENT, attributes: { ...attributes, ...resends } },
      trace.setSpan(context.active(), spans.call),
    );
  },
  onResponse({ callId, status }) {
    endAttempt(calls.get(callId), (span) => {
      span.setAttribute('http.response.status_code', status);
      if (status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
    });
  },
  // After an attempt without a response.
  onRetry({ callId, error }) {
    endAttempt(calls.get(callId), (span) => fail(span, error));
  },
  onEnd({ callId, method, route, durationMs, error }) {
    const spans = calls.get(callId);
    calls.delete(callId);
    endAttempt(spans, (span) => error !== undefined && fail(span, error));
    // A call that was refused before its first attempt has no span yet.
    const call =
      spans?.call ?? tracer.startSpan(`${method} ${route}`, { startTime: Date.now() - durationMs });
    if (error !== undefined) fail(call, error);
    call.end();
  },
};

function endAttempt(spans: CallSpans | undefined, describe: (span: Span) => void): void {
  if (spans?.attempt === undefined) return;
  describe(spans.attempt);
  spans.attempt.end();
  spans.attempt = undefined;
}

function fail(span: Span, error: AgentPlatformError): void {
  span.setAttribute('error.type', error.type);
  span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.name });
}

/** For `createWebhookReceiver({ hooks })`. */
const receiverHooks: WebhookReceiverHooks = {
  onDelivery({ type, outcome, status, durationMs }) {
    const attributes = {
      'http.request.method': 'POST',
      'http.response.status_code': status,
      'agent_platform.outcome': outcome,
      // Set only if the delivery was verified, so strangers cannot add values to this label.
      ...(type !== undefined && { 'agent_platform.event.type': type }),
    };
    const startTime = Date.now() - durationMs;
    tracer.startSpan('POST webhook', { kind: SpanKind.SERVER, startTime, attributes }).end();
  },
};

// A handler that reads a conversation, a call that is retried, one that fails, and a forged delivery.
const fake = createFakePlatform();
const { workspaceSecret, agentId, convoId, toolId } = fake.seed.eu;
const platform = new AgentPlatform({
  region: 'eu',
  token: workspaceSecret,
  baseUrls: fake.baseUrls,
  fetch: fake.fetch,
  hooks: clientHooks,
});
const receiver = createWebhookReceiver({ secret: workspaceSecret, hooks: receiverHooks }).on(
  'chat_delegated',
  async ({ payload }) => {
    await platform.conversations.get({ agentId: payload.agentId, convoId: payload.convoId });
  },
);
fake.webhooks.subscribe(receiver);
await fake.webhooks.send('chat_delegated', { agentId, convoId });
await fake.webhooks.send('chat_delegated', { agentId, convoId }, { forged: true });
fake.faults.inject({ endpoint: endpoints.getTool, status: 503, retryAfter: 0 });
await platform.tools.get(toolId);
await platform.tools.get('nowhere').catch(() => undefined);

const finished = spans.getFinishedSpans();
for (const { name, attributes, status, parentSpanContext } of finished) {
  const parent = finished.find((span) => span.spanContext().spanId === parentSpanContext?.spanId);
  console.log(JSON.stringify({ name, parent: parent?.name, ...attributes, failed: status.message }));
}
