/**
 * The service itself, in memory, for tests and for local work: state, rules, two regions, faults and webhooks.
 *
 * Begin with {@link createFakePlatform}; {@link fixtures} makes valid records and events.
 *
 * @packageDocumentation
 */

export type { RegionAdd } from './add.js';
export type { BaseUrls } from './base-urls.js';
export type { Caller } from './caller.js';
export {
  defaultChoices,
  type FakeChoices,
  type FakeChoicesInput,
  type PermitQuestion,
  type RefusalChoice,
  type RefusalChoices,
  type RefusalReason,
} from './choices.js';
export {
  type DedupeStoreCase,
  type DedupeStoreSubject,
  dedupeStoreConformance,
} from './dedupe-conformance.js';
export { createFakePlatform, type FakePlatform } from './fake.js';
export type { FakeFetch } from './fake-fetch.js';
export type { FakePlatformOptions } from './fake-options.js';
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
export type { FaultInput, Faults, InjectedFault } from './faults/faults.js';
export type { DeepPartial } from './fixtures/fixtures.js';
export {
  createFixtures,
  type DeliveryFixture,
  type EventFixture,
  type Fixtures,
  fixtures,
} from './fixtures/fixtures.js';
export type { Handler, HandlerCall } from './handler.js';
export type { FakeServer, ListenOptions } from './http-server.js';
export type { NewIds } from './ids.js';
export type { OperationCall, OperationName } from './operation.js';
export type {
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
export type { FakeRequest } from './request-log.js';
export type { Seed, SeedHandles } from './seed.js';
export type { FakeAdd } from './start.js';
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
} from './state.js';
export type { DeliveryRecord, DeliveryTarget } from './webhooks/deliver.js';
export type {
  EventToSend,
  SendAllOptions,
  SendOptions,
  SubscribeOptions,
  WebhookOwner,
} from './webhooks/options.js';
export type { FakeWebhooks } from './webhooks/webhooks.js';
