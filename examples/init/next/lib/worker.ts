// Runs the handlers of stored events, and ends the process without cutting one.
import { subscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { AgentPlatform, drain } from 'agent-platform-sdk';
import { createHandlers, type Tickets } from './handlers.ts';
import { getWebhooks } from './webhooks.ts';

const tickets: Tickets = { open: async (ticket) => console.log('ticket', ticket) }; // yours

export function startWorker(): void {
  const webhooks = getWebhooks();
  const { inbox } = webhooks;
  inbox.work(createHandlers(new AgentPlatform(), tickets));

  // Next would exit as soon as its requests have ended, even inside a handler. This leaves the signals to us.
  if (process.env.NEXT_MANUAL_SIG_HANDLE === undefined) return;
  const servers = new Set<Server>();
  // Next keeps its server to itself, but Node names it with each request.
  subscribe('http.server.request.start', (message) => servers.add((message as { server: Server }).server));

  /** Finishes the open requests, then closes the inbox, which waits for running handlers. */
  const end = async (): Promise<void> => {
    webhooks.isEnding = true;
    const delay = Number(process.env.DRAIN_DELAY ?? 0);
    await Promise.all([...servers].map((server) => drain(server, { delay })));
    await inbox.close();
    process.exit();
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, end);
}
