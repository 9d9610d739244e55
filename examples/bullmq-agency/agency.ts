// An agency with a thousand workspaces: one endpoint, one inbox, and each event says whose it is.
// Start it with: REDIS_URL=redis://… PORT=3000 npx tsx examples/bullmq-agency/agency.ts
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createWebhookReceiver, type WebhookReceiver } from 'agent-platform-sdk';
import { type BullMQInbox, createBullMQInbox, type InboxHooks } from 'agent-platform-sdk/bullmq';

/** Whose secret is which; from your database. A value may be a list, while a secret is being replaced. */
export type Workspaces = Readonly<Record<string, string | readonly string[]>>;

/** Your application's work for one of its customers. */
export interface Customer {
  addLead(email: string | undefined): Promise<void>;
}

/** Counts per workspace, for the metrics of your choice. */
export function countPerWorkspace(counts: Map<string, { handled: number; failed: number }>): InboxHooks {
  const of = (workspace = '(none)') => {
    const count = counts.get(workspace) ?? { handled: 0, failed: 0 };
    counts.set(workspace, count);
    return count;
  };
  return {
    onHandled: ({ workspace }) => {
      of(workspace).handled += 1;
    },
    onDeadLetter: ({ workspace }) => {
      of(workspace).failed += 1;
    },
  };
}

export function createAgency(
  workspaces: Workspaces,
  inbox: BullMQInbox,
  customer: (name: string) => Customer,
): WebhookReceiver {
  // A thousand secrets cost no more than one.
  return createWebhookReceiver({ secret: workspaces, inbox }).on(
    'lead_captured',
    ({ payload, workspace = '' }) => customer(workspace).addLead(payload.leadEmail),
  );
}

/** After an outage at one customer: replays their events, and no one else's. */
export function replayFor(inbox: BullMQInbox, workspace: string): Promise<number> {
  return inbox.deadLetters.replayAll(({ webhook }) => webhook.workspace === workspace);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const workspaces = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`customer-${index}`, `example-secret-${index}`]),
  );
  const counts = new Map<string, { handled: number; failed: number }>();
  const connection = process.env.REDIS_URL ?? 'redis://localhost:6379';
  const inbox = createBullMQInbox({
    connection,
    queueName: 'agency-webhooks',
    hooks: countPerWorkspace(counts),
  });
  const receiver = createAgency(workspaces, inbox, (name) => ({
    addLead: async (email) => console.log(`lead of ${name}: ${email}`),
  }));
  const server = createServer(receiver.node).listen(Number(process.env.PORT ?? 3000));
  inbox.work(receiver, { concurrency: 50 });

  // The server first: a delivery that finds the inbox closed would be answered 500, and lost.
  process.on('SIGTERM', () => server.close(() => void inbox.close()));
}
