import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Hooks } from 'agent-platform-sdk';

const tracer = trace.getTracer('agent-platform');

/** Runs one call of the platform inside a span of its own: `traced('tools.get', () => platform.tools.get(id))`. */
export function traced<Result>(name: string, call: () => PromiseLike<Result>): Promise<Result> {
  return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT }, async (span) => {
    try {
      return await call();
    } catch (error) {
      // What the package throws shows no token and no marked field.
      span.recordException(error as Error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Records each attempt in the span of the call, and sends the span's id to the service: `new AgentPlatform({ hooks })`. */
export const hooks: Hooks = {
  onRequest({ method, route, region, headers }) {
    trace.getActiveSpan()?.setAttributes({
      'http.request.method': method,
      'url.template': route,
      'agent_platform.region': region,
    });
    propagation.inject(context.active(), headers, { set: (to, name, value) => to.set(name, value) });
  },
  onResponse({ status, attempt }) {
    trace.getActiveSpan()?.setAttributes({
      'http.response.status_code': status,
      'http.request.resend_count': attempt - 1,
    });
  },
  onRetry({ delayMs, error }) {
    trace.getActiveSpan()?.addEvent('retry', { delayMs, reason: error.name });
  },
};
