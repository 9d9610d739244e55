import * as z from 'zod/mini';
import { flag } from './leaf.js';
import { closedObject } from './object.js';

/**
 * How a client is notified (document, 2.1.1; closed). By default a client receives only email notifications for
 * requests.
 */
export interface NotificationsSettings {
  /** The way notifications take. */
  notifyThrough: 'email' | 'push' | 'all' | 'none';
  /** What is notified: everything, requests only, or nothing. */
  notifyIf: 'all' | 'requestsOnly' | 'none';
  /** Email on each lead captured from calls. */
  emailNotifyOnNewLead?: boolean | undefined;
}

/** Schema of {@link NotificationsSettings}. */
export const NotificationsSettingsSchema = /* @__PURE__ */ closedObject(() => ({
  notifyThrough: z.enum(['email', 'push', 'all', 'none']),
  notifyIf: z.enum(['all', 'requestsOnly', 'none']),
  emailNotifyOnNewLead: flag,
}));
