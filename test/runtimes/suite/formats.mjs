// Runs the suite on the ESM build and on the CommonJS build. The argument is the runtime's name in the header
// `user-agent`. Prints the results as one line of JSON.
import { createRequire } from 'node:module';
import * as esm from 'agent-platform-sdk';
import * as testing from 'agent-platform-sdk/testing';
import { calls, copies } from './calls.mjs';
import { run } from './harness.mjs';
import { nodeWebhooks, webhooks } from './webhooks.mjs';

const require = createRequire(import.meta.url);
const common = require('agent-platform-sdk');
const checks = { ...calls, ...copies, ...webhooks, ...nodeWebhooks };
const results = [];
for (const about of [
  { sdk: esm, other: common, testing },
  { sdk: common, other: esm, testing: require('agent-platform-sdk/testing') },
]) {
  const server = await about.testing.createFakePlatform().listen({ control: true });
  results.push(...(await run(checks, { ...about, fakeUrl: server.url, agent: process.argv[2] })));
  await server.close();
}
console.log(JSON.stringify(results));
