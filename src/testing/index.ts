/**
 * The service itself, in memory, for tests and for local work: state, rules, two regions, faults and webhooks.
 *
 * Begin with {@link createFakePlatform}; {@link fixtures} makes valid records and events.
 *
 * @packageDocumentation
 */

export type { FakeAdd, RegionAdd } from './add.js';
export type { Caller } from './authenticate.js';
export { defaultChoices, type FakeChoices, type FakeChoicesInput } from './choices.js';
export {
  type DedupeStoreCase,
  type DedupeStoreSubject,
  dedupeStoreConformance,
} from './dedupe-conformance.js';
export type { DeliveryRecord, DeliveryTarget } from './deliver.js';
export { createFakePlatform, type FakePlatform, type FakePlatformOptions } from './fake.js';
export type { CollectionName, FakeRecords, NewRecordOf, RecordOf } from './fake-records.js';
export type {
  EventToSend,
  FakeWebhooks,
  PayloadToSend,
  SendAllOptions,
  SendOptions,
  SubscribeOptions,
  Subscription,
  WebhookOwner,
} from './fake-webhooks.js';
export type {
  EmptyFault,
  Fault,
  FaultKind,
  FaultScope,
  HtmlFault,
  LatencyFault,
  RefusedFault,
  ResetFault,
  StallFault,
  StatusFault,
  TruncatedFault,
  WrongShapeFault,
} from './faults/fault.js';
export type { FaultInput, Faults, InjectedFault, WaitingFault } from './faults/faults.js';
export {
  createFixtures,
  type DeepPartial,
  type DeliveryFixture,
  type EventFixture,
  type Fixtures,
  fixtures,
} from './fixtures/fixtures.js';
export type { FakeServer, ListenOptions } from './http-server.js';
export {
  type InboxCase,
  type InboxSubject,
  inboxConformance,
  type ProcessStored,
  type StopWork,
} from './inbox-conformance.js';
export type { OperationCall, OperationName } from './operations.js';
export type { ConcernedRecord, PermitQuestion, RecordOfKind } from './reach.js';
export type { RecordedWebhook } from './recording.js';
export type {
  FakeAgent,
  FakeConversation,
  FakeLead,
  FakeOrg,
  FakePhoneNumber,
  FakeRegionState,
  FakeState,
  FakeWorkspace,
  MutableRegionState,
  NewAgent,
  NewConversation,
  NewDefaultTool,
  NewLead,
  NewOrg,
  NewPhoneNumber,
  NewTool,
  NewVariable,
  NewWorkspace,
  RegionRecords,
  StartRecords,
} from './records.js';
export type { RefusalChoice, RefusalChoices, RefusalReason } from './refusals.js';
export type { FakeRequest } from './request-log.js';
export type { Handler, HandlerCall } from './route.js';
export type { Seed, SeedHandles } from './seed.js';
export type { BaseUrls, FakeFetch } from './service.js';
export type { FakeSnapshot } from './snapshot.js';
export type { NewIds } from './state.js';
