// Runs the suite in a worker, when a request names the fake.
import * as sdk from 'agent-platform-sdk';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import * as testing from 'agent-platform-sdk/testing';
import { calls } from './calls.mjs';
import { equal, ok, run, thrownBy } from './harness.mjs';
import { webhooks } from './webhooks.mjs';

const inbox = {
  async 'says where an inbox in a file runs'() {
    const error = await thrownBy(() => createSqliteInbox({ path: 'webhooks.db' }));
    equal(error.name, 'ConfigurationError');
    ok(error.message.includes('this runtime has no node:sqlite. Use Node'), error.message);
  },
};

export default {
  fetch: async (request) =>
    Response.json(
      await run({ ...calls, ...webhooks, ...inbox }, { sdk, testing, ...(await request.json()) }),
    ),
};
