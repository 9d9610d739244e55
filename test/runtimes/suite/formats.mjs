// Runs the suite on the ESM build. The argument is the runtime's name in the header `user-agent`.
import * as sdk from 'agent-platform-sdk';
import * as testing from 'agent-platform-sdk/testing';
import { calls } from './calls.mjs';
import { runBesideFake } from './harness.mjs';
import { nodeWebhooks, webhooks } from './webhooks.mjs';

await runBesideFake({ ...calls, ...webhooks, ...nodeWebhooks }, { sdk, testing, agent: process.argv[2] });
