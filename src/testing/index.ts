/**
 * The service in memory, for tests and local work: records, rules, two regions, faults, webhooks.
 *
 * Begin with {@link createFakePlatform}; {@link fixtures} creates valid records and events.
 *
 * @packageDocumentation
 */

export type { FakeChange } from './changes.js';
export {
  type DedupeStoreCase,
  type DedupeStoreSubject,
  dedupeStoreConformance,
} from './conformance/dedupe-store.js';
export {
  type InboxCase,
  type InboxSubject,
  inboxConformance,
  type ProcessStored,
  type StopWork,
} from './conformance/inbox.js';
export type { Caller } from './fake/caller.js';
export type { FakeChoices, PermitQuestion } from './fake/choices.js';
export type { FaultInput, FaultScope, Faults, WaitingFault } from './fake/faults/faults.js';
export type {
  Fault,
  FaultKind,
  LatencyFault,
  RateLimitFault,
  ResetFault,
  StallFault,
  StatusFault,
  TruncatedFault,
} from './fake/faults/kinds.js';
export type { FakeFetch } from './fake/fetch.js';
export type { Handler, HandlerCall, SentQuery } from './fake/handler.js';
export type { FakeRequest } from './fake/log.js';
export type { OperationName } from './fake/operations.js';
export type { BaseUrls } from './fake/places.js';
export type { FakeAdd, RegionAdd } from './fake/records/add.js';
export type * from './fake/records/records.js';
export type { FakeRecords, FakeSnapshot } from './fake/records/region-store.js';
export type { Seed, SeedHandles } from './fake/records/seed.js';
export type { NotFoundChoice, RefusalChoice, RefusalChoices, RefusalReason } from './fake/refusals.js';
export {
  createFakePlatform,
  type FakePlatform,
  type FakePlatformOptions,
  type ResetOptions,
} from './fake-platform.js';

export { createFixtures, type Fixtures, fixtures } from './fixtures/fixtures.js';
export type { DeepPartial } from './fixtures/overlay.js';
export type { FakeServer, ListenOptions } from './http/server.js';
export type { SendOptions, SubscribeOptions, WebhookOwner } from './sending/options.js';
export type { PayloadToSend } from './sending/payload.js';
export type { DeliveryRecord, DeliveryTarget } from './sending/post.js';
export type { RecordedWebhook } from './sending/recording.js';
export type { Subscription } from './sending/subscriptions.js';
export type { FakeWebhooks } from './sending/webhooks.js';
