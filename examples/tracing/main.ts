// OpenTelemetry through the hooks: a span for each call, below the span of the work it belongs to, and its `traceparent`
// sent to the service. The spans are kept in memory here; give the provider the exporter of your choice.
// Run it with: npx tsx examples/tracing/main.ts
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { AgentPlatform, createWebhookReceiver, endpoints } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { hooks, traced } from './tracing.js';

// Once in a program, before everything else.
const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);

const fake = createFakePlatform();
const { workspaceSecret, agentId, convoId, toolId } = fake.seed.eu;
const { baseUrls, fetch } = fake;
const platform = new AgentPlatform({ region: 'eu', token: workspaceSecret, baseUrls, fetch, hooks });

// A webhook handler is a piece of work: the calls it makes are its children.
const receiver = createWebhookReceiver({ secret: workspaceSecret }).on('chat_delegated', (event) =>
  trace.getTracer('shop').startActiveSpan(`handle ${event.type}`, async (span) => {
    await traced('conversations.get', () => platform.conversations.get({ agentId, convoId }));
    await traced('tools.get', () => platform.tools.get(toolId));
    span.end();
  }),
);
fake.webhooks.subscribe(receiver);
fake.faults.inject({ endpoint: endpoints.getTool, status: 503, retryAfter: 0 });
await fake.webhooks.send('chat_delegated', { agentId, convoId });
await traced('tools.get', () => platform.tools.get('nowhere')).catch(() => undefined);

const spans = exporter.getFinishedSpans();
for (const { name, attributes, events, status, parentSpanContext } of spans) {
  const parent = spans.find((span) => span.spanContext().spanId === parentSpanContext?.spanId);
  const happened = events.map((event) => event.name);
  console.log(
    JSON.stringify({ name, parent: parent?.name, happened, failed: status.message, ...attributes }),
  );
}
for (const { path, headers } of fake.requests) {
  const span = spans.find((each) => headers.traceparent?.includes(each.spanContext().spanId));
  console.log(`${path} was sent as part of the span ${span?.name}`);
}
