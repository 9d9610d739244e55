// OpenTelemetry: a span for each call and each delivery, from the hooks of the client and of the receiver.
// Here spans are kept in memory and printed; use the exporter of your choice. The same hooks can feed
// metrics.
// Run it with: npx tsx examples/opentelemetry/main.ts
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  AgentPlatform,
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

/**
 * For `new AgentPlatform({ hooks })`. The span covers all attempts; `@opentelemetry/instrumentation-undici`
 * adds a span for each.
 */
const clientHooks: Hooks = {
  onEnd({ method, route, region, status, attempts, durationMs, error }) {
    const attributes = {
      'http.request.method': method,
      'url.template': route,
      'agent_platform.region': region,
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(error !== undefined && { 'error.type': error.type }),
    };
    const span = tracer.startSpan(`${method} ${route}`, {
      kind: SpanKind.CLIENT,
      startTime: Date.now() - durationMs,
      attributes: { ...attributes, 'agent_platform.attempts': attempts },
    });
    if (error !== undefined) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.name });
    }
    span.end();
  },
};

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

for (const { name, attributes, status } of spans.getFinishedSpans()) {
  console.log(JSON.stringify({ name, ...attributes, failed: status.message }));
}
