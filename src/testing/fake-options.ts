import type { Clock } from '../webhooks/clock.js';
import type { BaseUrls } from './base-urls.js';
import type { FakeChoicesInput } from './choices.js';
import { refuseUnknown } from './known-names.js';
import type { StartRecords } from './records.js';
import type { FakeRequest } from './request-log.js';
import type { DeliveryRecord } from './webhooks/deliver.js';

/** What a fake is made with. Nothing is required. */
export interface FakePlatformOptions {
  /** Records to begin with, by region, on top of the seed. */
  readonly regions?: StartRecords | undefined;
  /**
   * `'default'`: a record of each kind in both regions, with the ids and secrets of `fake.seed`. `'empty'`: only
   * the catalogue of default tools, which is built in.
   */
  readonly seed?: 'default' | 'empty' | undefined;
  /** What to do where the document is silent. */
  readonly choices?: FakeChoicesInput | undefined;
  /** The addresses that `fake.fetch` and the msw handlers answer at. Default: two hosts under `.test`. */
  readonly baseUrls?: Partial<BaseUrls> | undefined;
  /** Where latencies and time limits take time from. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
  /** Called after each answer, for a log of one's own. */
  readonly onRequest?: ((request: FakeRequest) => void) | undefined;
  /** Called after each delivery of a webhook, whatever became of it. */
  readonly onDelivery?: ((delivery: DeliveryRecord) => void) | undefined;
}

const optionNames: Readonly<Record<keyof FakePlatformOptions, true>> = {
  regions: true,
  seed: true,
  choices: true,
  baseUrls: true,
  clock: true,
  onRequest: true,
  onDelivery: true,
};

/** A test that misspells an option would test something else. */
export function checkOptions(options: FakePlatformOptions): void {
  refuseUnknown('createFakePlatform: the option', options, optionNames);
  const { seed = 'default' } = options;
  if (seed !== 'default' && seed !== 'empty') {
    throw new TypeError("createFakePlatform: the option \"seed\" must be 'default' or 'empty'.");
  }
}
