// Runs the suite in a worker, when a request names the fake.
import * as sdk from 'agent-platform-sdk';
import * as testing from 'agent-platform-sdk/testing';
import { calls } from './calls.mjs';
import { run } from './harness.mjs';
import { webhooks } from './webhooks.mjs';

export default {
  fetch: async (request) =>
    Response.json(await run({ ...calls, ...webhooks }, { sdk, testing, ...(await request.json()) })),
};
