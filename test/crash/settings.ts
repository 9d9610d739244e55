import type { BullMQInboxOptions, InboxHooks, WorkOptions } from 'agent-platform-sdk/bullmq';
import { type BullMQInbox, createBullMQInbox } from 'agent-platform-sdk/bullmq';

/** Settings of one process of the campaign: a receiver if it has a port, a worker if it has handlers. */
export interface ProcessSettings {
  readonly redis: RedisAddress;
  readonly secret: string;
  /** The directory in which the process writes its journal. */
  readonly journals: string;
  readonly port?: number;
  readonly worker?: WorkerSettings;
  /** Options of the inbox that differ from the defaults. */
  readonly inbox?: InboxOptions;
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
}

/** Options that can be passed to another process. */
export type InboxOptions = Omit<BullMQInboxOptions, 'connection' | 'hooks' | 'logger'>;

export interface WorkerSettings {
  /** The event types with a handler. */
  readonly types: readonly string[];
  /** Options of `work` that differ from the defaults. */
  readonly options?: WorkOptions;
  /** The share of runs in which a handler throws. Default 0.02. */
  readonly failing?: number;
  /** The share of events whose handler does not settle in its first run. */
  readonly hanging?: number;
  /** The share of events whose handler blocks the event loop in its first run, and the time of that. */
  readonly blocking?: { readonly share: number; readonly ms: number };
}

/** The types of the events that are sent. A deployment adds a handler for the second. */
export const TYPES = ['lead_captured', 'agent_deleted'] as const;

export function openInbox(
  { redis, inbox }: Pick<ProcessSettings, 'redis' | 'inbox'>,
  hooks: InboxHooks = {},
): BullMQInbox {
  const connection = { ...redis };
  return createBullMQInbox({ connection, queueName: 'campaign', hooks, logLevel: 'off', ...inbox });
}
