import * as z from 'zod/v4/mini';
import { type InboxOptions, type InboxSettings, inboxFields, settleOptions } from '../inbox/options.js';
import { checkedBy, checkOptions, type OptionFields, wholeNumber } from '../validation/check-options.js';

/** Options of `createSqliteInbox`. Pass the same in receivers and in workers. */
export interface SqliteInboxOptions extends InboxOptions {
  /**
   * The path of the file, such as `'/data/webhooks.db'`.
   *
   * The inbox creates the file, but not its folder, because a missing folder often means that a volume is not
   * mounted. Use a disk of this machine: SQLite's locks do not work over NFS or SMB. While the file is open,
   * two more are beside it.
   */
  readonly path: string;
  /**
   * How many bytes stay free on the disk. Default 67 108 864: 64 MiB.
   *
   * If less is free, no event is stored. Workers need that room to record the ends of runs.
   */
  readonly minFree?: number | undefined;
}

const fields: Omit<OptionFields<SqliteInboxOptions>, keyof InboxOptions> = {
  path: checkedBy((value) => {
    // SQLite keeps `:memory:` in memory, and takes `file:` for a URI.
    const isPath = typeof value === 'string' && value !== '' && !/^(?::|file:)/.test(value);
    return isPath ? undefined : 'must be the path of a file, not :memory: or a URI';
  }),
  minFree: z.optional(wholeNumber(0)),
};

/** The checked options of an inbox. */
export interface SqliteSettings extends InboxSettings {
  readonly path: string;
  readonly minFree: number;
}

const DEFAULT_MIN_FREE = 64 * 1024 ** 2;

/** Checks the options of an inbox, and fills in the defaults. */
export function resolveSqlite(options: SqliteInboxOptions): SqliteSettings {
  checkOptions(z.strictObject({ ...inboxFields(options), ...fields }), options, { of: 'createSqliteInbox' });
  const { path, minFree = DEFAULT_MIN_FREE } = options;
  return { ...settleOptions(options), path, minFree };
}
