// OpenTelemetry: spans of calls, deliveries and jobs in one trace, their ids sent to the service, and their durations as metrics.
// Spans and metrics are kept in memory and printed here; give the providers the exporters of your choice.
// Run it with: npx tsx examples/opentelemetry/main.ts
import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { AgentPlatform, createWebhookReceiver, endpoints, type StoredWebhook } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { ChannelContextManager, instrument, telemetryHooks } from './telemetry.js';

// Once in a program, before everything else.
const contextManager = new ChannelContextManager();
const exporter = new InMemorySpanExporter();
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: metricExporter });
context.setGlobalContextManager(contextManager);
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
instrument({
  contextManager,
  tracer: trace.getTracer('agent-platform'),
  meter: metrics.getMeter('agent-platform'),
});

const fake = createFakePlatform();
const { workspaceSecret, agentId, convoId, toolId } = fake.seed.eu;
const { baseUrls, fetch } = fake;
const hooks = telemetryHooks;
const platform = new AgentPlatform({ region: 'eu', token: workspaceSecret, baseUrls, fetch, hooks });

// The calls that a handler makes are children of its job, which continues the trace of the delivery.
const stored: StoredWebhook[] = [];
const inbox = { store: (webhook: StoredWebhook) => stored.push(webhook) };
const receiver = createWebhookReceiver({ secret: workspaceSecret, inbox }).on('chat_delegated', async () => {
  await platform.conversations.get({ agentId, convoId });
  await platform.tools.get(toolId);
});
fake.webhooks.subscribe(receiver);
fake.faults.inject({ endpoint: endpoints.getTool, status: 503, retryAfter: 0 });
await fake.webhooks.send('chat_delegated', { agentId, convoId });
await fake.webhooks.send('chat_delegated', { agentId, convoId }, { forged: true });
for (const webhook of stored) await receiver.process(webhook);
await platform.tools.get('nowhere').catch(() => undefined);

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
await reader.forceFlush();
for (const { descriptor, dataPoints } of metricExporter.getMetrics()[0]?.scopeMetrics[0]?.metrics ?? []) {
  console.log(`${descriptor.name}: ${dataPoints.length} series`);
}
await reader.shutdown();
