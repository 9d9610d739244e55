import * as z from 'zod/mini';
import { isObject } from '../../ground/json.js';
import type { MutableState } from '../records.js';
import { recordsOf } from '../snapshot.js';
import { conversationKey } from '../state.js';
import { action, ControlError, type ControlRules, checkTarget, done, type Steered } from './action.js';

const fields = z.record(z.string(), z.unknown());

/** To list, add, change and remove records, and to see all of them. */
export const recordActions = [
  action({
    method: 'GET',
    path: '/state',
    run: stateOf,
  }),
  action({
    method: 'GET',
    path: '/records/{region}/{collection}',
    run: ({ fake, path }) => ({ records: fake.records.list(...collectionIn(path)) }),
  }),
  action({
    method: 'POST',
    path: '/records/{region}/{collection}',
    body: fields,
    run: ({ fake, path, body, rules }) => {
      checkServerUrl(body, rules);
      // `add` checks every field of what it is given.
      return { record: fake.records.add(...collectionIn(path), body as never) };
    },
  }),
  action({
    method: 'PATCH',
    path: '/records/{region}/{collection}/{id}',
    body: fields,
    run: ({ fake, path, body, rules }) => {
      checkServerUrl(body, rules);
      return { record: fake.records.change(...collectionIn(path), keyIn(path), body) };
    },
  }),
  action({
    method: 'DELETE',
    path: '/records/{region}/{collection}/{id}',
    run: ({ fake, path }) => {
      const id = keyIn(path);
      if (fake.records.remove(...collectionIn(path), id)) return done(`Removed "${id}".`);
      throw new ControlError(`Region ${path.region} has no "${id}" among its ${path.collection}.`, 404);
    },
  }),
];

function stateOf({ fake }: Steered): object {
  return {
    // Read, and never changed here.
    records: recordsOf({ state: fake.state as MutableState }),
    subscriptions: fake.webhooks.subscriptions,
    faults: fake.faults.list(),
    requests: fake.requests.length,
    deliveries: fake.webhooks.deliveries.length,
  };
}

/** `records` refuses what is no region and no collection, and names those that are. */
function collectionIn({ region, collection }: Readonly<Record<string, string>>): [never, never] {
  return [region as never, collection as never];
}

/** The key of a record, in whatever way its parts are encoded. */
function keyIn({ collection, id = '' }: Readonly<Record<string, string>>): string {
  if (collection !== 'conversations') return id;
  const slash = id.indexOf('/');
  return conversationKey(id.slice(0, slash), id.slice(slash + 1));
}

function checkServerUrl(body: Readonly<Record<string, unknown>>, rules: ControlRules): void {
  const { advanced } = body;
  if (!isObject(advanced) || typeof advanced.serverUrl !== 'string') return;
  checkTarget('advanced.serverUrl', advanced.serverUrl, rules);
}
