import type { FakeChange } from '../changes.js';
import type { Faults } from '../fake/faults/faults.js';
import type { FakeRequest } from '../fake/log.js';
import type { FakeState } from '../fake/records/records.js';
import type { FakeRecords, FakeSnapshot } from '../fake/records/region-store.js';
import type { FakeWebhooks } from '../sending/webhooks.js';

/** The parts of a `FakePlatform` that the control API and the page use. */
export interface ControlledFake {
  readonly state: FakeState;
  readonly records: FakeRecords;
  readonly requests: readonly FakeRequest[];
  readonly faults: Faults;
  readonly webhooks: FakeWebhooks;
  snapshot(): FakeSnapshot;
  clearRequests(): void;
  reset(options?: { readonly keepSubscriptions?: boolean | undefined }): void;
  onChange(listener: (change: FakeChange) => void): () => void;
}
