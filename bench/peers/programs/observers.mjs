// Everything that watches: a logger with fields at `info`, hooks, and a subscriber of the tracing channels.
import { tracingChannel } from 'node:diagnostics_channel';
import { TRACING_CHANNELS } from 'agent-platform-sdk';

const see = () => undefined;

export const logging = { logger: { error: see, warn: see, info: see, debug: see }, logLevel: 'info' };
export const callHooks = { onRequest: see, onResponse: see, onRetry: see, onEnd: see };
export const deliveryHooks = { onDelivery: see };

export function subscribe() {
  for (const name of Object.values(TRACING_CHANNELS)) {
    tracingChannel(name).subscribe({ start: see, end: see, asyncStart: see, asyncEnd: see, error: see });
  }
}
