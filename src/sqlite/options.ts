import * as z from 'zod/mini';
import {
  type InboxOptions,
  type InboxSettings,
  inboxFields,
  type Settled,
  settleOptions,
  withDefaults,
} from '../inbox/options.js';
import { checkedBy, checkOptions, type OptionFields, wholeNumber } from '../validation/check-options.js';

/** Options of `createSqliteInbox`. Pass the same where events are received and where they are processed. */
export interface SqliteInboxOptions extends InboxOptions {
  /**
   * The path of the file, such as `'/data/webhooks.db'`.
   *
   * The file is created; its folder is not, so that a volume that is not mounted does not go unnoticed. It
   * must be on a disk of this machine: the locks of SQLite do not work over NFS or SMB. Two more files are
   * beside it while it is open.
   */
  readonly path: string;
  /**
   * The number of bytes that stay free on the disk when events are stored. Default 67 108 864: 64 MiB.
   *
   * They are for the workers: on a full disk they could not record the end of anything.
   */
  readonly minFree?: number | undefined;
}

const fields: Omit<OptionFields<SqliteInboxOptions>, keyof InboxOptions> = {
  path: checkedBy((value) => {
    // SQLite keeps `:memory:` in memory, and takes `file:` for a URI.
    const isPath = typeof value === 'string' && value !== '' && !/^(?::|file:)/.test(value);
    return isPath ? undefined : 'must be the path of a file, not :memory:';
  }),
  minFree: z.optional(wholeNumber(0)),
};

type Plain = Pick<SqliteInboxOptions, 'minFree'>;

/** The checked options of an inbox. */
export interface SqliteSettings extends InboxSettings, Settled<Plain> {
  readonly path: string;
}

const DEFAULTS: Settled<Plain> = { minFree: 64 * 1024 ** 2 };

/** Checks the options of an inbox, and fills in the defaults. */
export function resolveSqlite(options: SqliteInboxOptions): SqliteSettings {
  checkOptions(z.strictObject({ ...inboxFields(options), ...fields }), options, { of: 'createSqliteInbox' });
  return { ...settleOptions(options), ...withDefaults(DEFAULTS, options), path: options.path };
}
