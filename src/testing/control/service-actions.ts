import * as z from 'zod/mini';
import { text } from '../../schemas/leaf.js';
import { closedObject } from '../../schemas/object.js';
import type { FaultInput } from '../faults/faults.js';
import { action, ControlError, done } from './action.js';

/** To let calls go wrong, to see those that came, and to begin again. */
export const serviceActions = [
  action({
    method: 'GET',
    path: '/faults',
    run: ({ fake }) => ({ faults: fake.faults.list() }),
  }),
  action({
    method: 'POST',
    path: '/faults',
    body: z.record(z.string(), z.unknown()),
    run: ({ fake: { faults }, body }) => {
      if (body.kind === 'refused') {
        throw new ControlError('kind: a server that listens cannot refuse a connection; "reset" can be had.');
      }
      // `inject` checks every field of what it is given.
      const { id } = faults.inject(body as unknown as FaultInput);
      return { fault: faults.list().find((fault) => fault.id === id) };
    },
  }),
  action({
    method: 'DELETE',
    path: '/faults/{id}',
    run: ({ fake, path: { id = '' } }) => {
      if (fake.faults.remove(id)) return done(`Took "${id}" away.`);
      throw new ControlError(`There is no fault with the id "${id}".`, 404);
    },
  }),
  action({
    method: 'DELETE',
    path: '/faults',
    run: ({ fake }) => {
      fake.faults.clear();
      return done('No fault is left.');
    },
  }),
  action({
    method: 'GET',
    path: '/requests',
    query: closedObject(() => ({
      endpoint: text,
      method: text,
      path: text,
      region: z.optional(z.enum(['eu', 'na'])),
      status: z.optional(z.string().check(z.regex(/^\d{3}$/, 'expected three digits'))),
      fault: text,
    })),
    run: ({ fake, query }) => {
      const filters = Object.entries(query);
      return {
        // A filter is a field of a request; only the status is no text.
        requests: fake.requests.filter((request) =>
          filters.every(([name, value]) => String(request[name as keyof typeof query]) === value),
        ),
      };
    },
  }),
  action({
    method: 'DELETE',
    path: '/requests',
    run: ({ fake }) => {
      fake.clearRequests();
      return done('No request is left.');
    },
  }),
  action({
    method: 'POST',
    path: '/reset',
    run: ({ fake }) => {
      fake.reset();
      return done('Records, requests, faults, deliveries and subscriptions are as in the beginning.');
    },
  }),
];
