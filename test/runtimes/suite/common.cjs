// The suite on the CommonJS build. The argument is how `user-agent` names the runtime.
const globals = () => Object.getOwnPropertyNames(globalThis);
const before = globals();
const sdk = require('agent-platform-sdk');
const testing = require('agent-platform-sdk/testing');
const addedGlobals = globals().filter((name) => !before.includes(name));

void import('./index.mjs').then(({ runBesideFake }) =>
  runBesideFake({ sdk, testing, addedGlobals, runtime: process.argv[2] }),
);
