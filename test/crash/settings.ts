import type { BullMQInbox, BullMQInboxOptions } from 'agent-platform-sdk/bullmq';
import type { PostgresInbox } from 'agent-platform-sdk/postgres';
import type { InboxOptions, SqliteInbox, WorkOptions } from 'agent-platform-sdk/sqlite';

/** Where the events of a campaign are stored. */
export type Storage =
  /** The URL of a Redis. */
  | { readonly redis: string }
  | { readonly file: string }
  /** The URL of a Postgres. */
  | { readonly postgres: string };

/** Settings of one process of the campaign: a receiver if it has a port, a worker if it has handlers. */
export interface ProcessSettings {
  readonly storage: Storage;
  readonly secret: string;
  /** The directory in which the process writes its journal. */
  readonly journals: string;
  readonly port?: number;
  readonly worker?: WorkerSettings;
  /** How far the clock of the process is set ahead and back, and how often, in ms. */
  readonly clock?: { readonly most: number; readonly every: number };
  /** Options of the inbox that differ from the defaults. */
  readonly inbox?: PassedOptions;
}

/** Options that can be passed to another process. */
export type PassedOptions = Omit<BullMQInboxOptions, 'connection' | 'hooks' | 'logger'>;

export interface WorkerSettings {
  /** Options of `work` that differ from the defaults. */
  readonly options?: WorkOptions;
  /** The share of runs in which a handler throws. Default 0.02. */
  readonly failing?: number;
  /** The share of events whose handler does not settle in its first run. */
  readonly hanging?: number;
  /** Whether the handlers write the name of their event to the table `written`, in the transaction of its end. */
  readonly writes?: boolean;
  /** The share of events that end their worker. */
  readonly poison?: number;
  /** The share of events whose handler blocks the event loop in its first run, and the time of that. */
  readonly blocking?: { readonly share: number; readonly ms: number };
}

/** The exit code of a worker that a poison has ended. */
export const POISONED = 70;

/** The types of the events that are sent. */
export const TYPES = ['lead_captured', 'agent_deleted'] as const;

/** Opens the inbox of a process. Loads only what its storage needs: not every Node has SQLite. */
export async function openInbox(
  { storage, inbox }: Pick<ProcessSettings, 'storage' | 'inbox'>,
  options: InboxOptions = {},
): Promise<BullMQInbox | PostgresInbox | SqliteInbox> {
  const all: InboxOptions = { logLevel: 'off', ...options, ...inbox };
  if ('file' in storage) {
    const { createSqliteInbox } = await import('agent-platform-sdk/sqlite');
    return createSqliteInbox({ path: storage.file, ...all });
  }
  if ('postgres' in storage) {
    const { createPostgresInbox } = await import('agent-platform-sdk/postgres');
    return createPostgresInbox({ connectionString: storage.postgres, ...all });
  }
  const { createBullMQInbox } = await import('agent-platform-sdk/bullmq');
  return createBullMQInbox({ connection: storage.redis, queueName: 'campaign', ...all });
}
