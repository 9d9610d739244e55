/**
 * The service itself, in memory, for tests and for local work: records, rules, two regions, faults and webhooks.
 *
 * Begin with {@link createFakePlatform}; {@link fixtures} creates valid records and events.
 *
 * @packageDocumentation
 */

export type { Caller } from './access.js';
export type { FakeChange } from './changes.js';
export type { FakeChoices, PermitQuestion, RefusalChoice, RefusalReason } from './choices.js';
export {
  type DedupeStoreCase,
  type DedupeStoreSubject,
  dedupeStoreConformance,
} from './dedupe-conformance.js';
export type { DeliveryRecord, DeliveryTarget } from './deliver.js';
export { createFakePlatform, type FakePlatform, type FakePlatformOptions } from './fake.js';
export type {
  EmptyFault,
  Fault,
  FaultInput,
  FaultKind,
  FaultScope,
  Faults,
  HtmlFault,
  InjectedFault,
  LatencyFault,
  RefusedFault,
  ResetFault,
  StallFault,
  StatusFault,
  TruncatedFault,
  WaitingFault,
  WrongShapeFault,
} from './faults.js';
export {
  createFixtures,
  type DeliveryFixture,
  type EventFixture,
  type Fixtures,
  fixtures,
} from './fixtures/fixtures.js';
export type { DeepPartial } from './fixtures/overlay.js';
export {
  type InboxCase,
  type InboxSubject,
  inboxConformance,
  type ProcessStored,
  type StopWork,
} from './inbox-conformance.js';
export type { OperationName } from './operations.js';
export type { RecordedWebhook } from './recording.js';
export type {
  CollectionName,
  FakeAgent,
  FakeConversation,
  FakeLead,
  FakeOrg,
  FakePhoneNumber,
  FakeRegionState,
  FakeState,
  FakeWorkspace,
  MutableRegionState,
  NewConversation,
  NewRecordOf,
  NewRecordTypes,
  RecordTypes,
  RegionRecords,
  StartRecords,
} from './records.js';
export type { FakeRequest } from './requests.js';
export type { Handler, HandlerCall } from './route.js';
export type { Seed, SeedHandles } from './seed.js';
export type { FakeServer, ListenOptions } from './server.js';
export type { BaseUrls, FakeFetch } from './service.js';
export type { FakeAdd, FakeRecords, FakeSnapshot, RegionAdd } from './store.js';
export type {
  FakeWebhooks,
  PayloadToSend,
  SendOptions,
  SubscribeOptions,
  Subscription,
  WebhookOwner,
} from './webhooks.js';
