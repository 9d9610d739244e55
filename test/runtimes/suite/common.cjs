// Runs the suite on the CommonJS build. The argument is the runtime's name in the header `user-agent`.
const sdk = require('agent-platform-sdk');
const testing = require('agent-platform-sdk/testing');

async function main() {
  const { calls } = await import('./calls.mjs');
  const { runBesideFake } = await import('./harness.mjs');
  const { nodeWebhooks, webhooks } = await import('./webhooks.mjs');
  await runBesideFake({ ...calls, ...webhooks, ...nodeWebhooks }, { sdk, testing, agent: process.argv[2] });
}
void main();
