import * as z from 'zod/mini';
import type { Issue } from '../ground/issues.js';
import { REGIONS, type Region } from '../ground/regions.js';
import { flag, requiredText, texts } from '../schemas/leaf.js';
import { closedObject } from '../schemas/object.js';
import { checkInput, InputError } from './check-input.js';
import { type FakeWebhooks, isSameSubscription } from './fake-webhooks.js';
import type { FaultInput, FaultList } from './faults/faults.js';
import { targetAddress } from './hosts.js';
import {
  type CollectionName,
  collectionNames,
  collections,
  keyOf,
  missingFields,
  type World,
} from './state.js';

/** Everything a fake holds that outlasts it, as JSON. Made by `fake.snapshot()`, for `fake.restore()`. */
export interface FakeSnapshot {
  /** The form of the snapshot. */
  readonly version: 1;
  /** The records by region and collection, and the numbers that were released for good. */
  readonly records: object;
  /** The subscriptions that were added over HTTP, or with `untilReset`. */
  readonly subscriptions: readonly object[];
  /** The faults that wait for calls. */
  readonly faults: readonly object[];
  /** The numbers of the last ids that were given, by their beginnings: none is given again. A snapshot without them is restored too. */
  readonly lastIds?: Readonly<Record<string, number>> | undefined;
}

/** The parts of a fake that a snapshot is made of. */
interface Parts {
  readonly world: World;
  readonly webhooks: FakeWebhooks;
  readonly faults: FaultList;
}

export function takeSnapshot({ world, webhooks, faults }: Parts): FakeSnapshot {
  const snapshot: FakeSnapshot = {
    version: 1,
    records: recordsOf(world),
    // A receiver in process cannot be written down; what the program subscribed itself, it subscribes again.
    subscriptions: webhooks.subscriptions
      .filter(({ address, untilReset }) => untilReset && address !== 'receiver')
      .map(({ id: _, ...subscription }) => subscription),
    faults: faults.list().map(({ id: _, struck: __, ...fault }) => fault),
    lastIds: world.ids.last,
  };
  // A copy: what the fake holds changes.
  return structuredClone(snapshot);
}

/** The records of both regions, by collection. */
export function recordsOf({ state }: Pick<World, 'state'>): object {
  const regions = REGIONS.map((region) => {
    const lists = collectionNames().map((name) => [name, [...state[region][name].values()]] as const);
    const releasedForGood = [...state[region].releasedForGood];
    return [region, { ...Object.fromEntries(lists), releasedForGood }] as const;
  });
  return Object.fromEntries(regions);
}

/** @throws {TypeError} When it is no snapshot; nothing is changed then. */
export function restoreSnapshot({ world, webhooks, faults }: Parts, value: unknown): void {
  const checked = checkInput(snapshotSchema(), value);
  if (!checked.ok) throw new InputError('The snapshot is wrong', checked.issues);
  // A copy: what the fake holds changes.
  const { records, subscriptions, faults: waiting, lastIds = {} } = structuredClone(checked.value);
  // What is wrong is refused before anything is changed.
  const missing = missingIn(records);
  if (missing.length > 0) throw new InputError('The snapshot is wrong', missing);
  for (const { address } of subscriptions) targetAddress('subscriptions: address', address);
  // `replace` checks every field of what it is given.
  const inputs = waiting.map(({ remaining, ...fault }) => ({ ...fault, times: remaining }));
  faults.replace(inputs as unknown as FaultInput[]);
  for (const region of REGIONS) {
    const state = world.state[region];
    const { releasedForGood = [], ...lists } = records[region];
    state.releasedForGood.clear();
    for (const sid of releasedForGood) state.releasedForGood.add(sid);
    for (const name of collectionNames()) {
      // Of the row's own type: its schema has just taken them.
      const held = state[name] as Map<string, unknown>;
      held.clear();
      for (const record of lists[name] as readonly object[]) held.set(keyOf(name, record), record);
    }
  }
  world.ids.goOnFrom(lastIds);
  webhooks.reset();
  for (const subscription of subscriptions) {
    const { address, ...options } = subscription;
    const isThere = world.state[options.region].workspaces.has(options.workspaceId);
    // Those that are left are the program's own, and stay as they are.
    const isOwn = webhooks.subscriptions.some((each) => isSameSubscription(each, subscription));
    if (isThere && !isOwn) webhooks.subscribe(address, options);
  }
}

/** Fields that records lack: their schema takes new records, which are filled in when they are added. */
function missingIn(records: Readonly<Record<Region, Readonly<Record<CollectionName, unknown>>>>): Issue[] {
  return REGIONS.flatMap((region) =>
    collectionNames().flatMap((name) =>
      // Lists, by the schema.
      (records[region][name] as readonly object[]).flatMap((record, index) =>
        missingFields(name, record).map((issue) => ({
          ...issue,
          path: ['records', region, name, index, ...issue.path],
        })),
      ),
    ),
  );
}

/** A function, so that who reads no snapshot makes no schema. */
function snapshotSchema() {
  const region = closedObject(() => ({
    ...lists(),
    releasedForGood: texts,
  }));
  return closedObject(() => ({
    version: z.literal(1),
    records: closedObject(() => ({ eu: region, na: region })),
    subscriptions: z.array(
      closedObject(() => ({
        address: requiredText,
        region: z.enum(['eu', 'na']),
        workspaceId: requiredText,
        events: texts,
        untilReset: flag,
      })),
    ),
    faults: z.array(z.record(z.string(), z.unknown())),
    lastIds: z.optional(z.record(z.string(), z.number().check(z.int(), z.gte(0)))),
  }));
}

/** A list of records for each collection. */
function lists() {
  const each = collectionNames().map((name): [string, z.core.$ZodType] => [
    name,
    z.array(collections[name].schema()),
  ]);
  // The names of the table, which `fromEntries` forgets.
  return Object.fromEntries(each) as Record<ReturnType<typeof collectionNames>[number], z.core.$ZodType>;
}
