// The suite on the ESM build. The argument is how `user-agent` names the runtime.
import { runBesideFake } from './index.mjs';

const globals = () => Object.getOwnPropertyNames(globalThis);
// Deno adds a global of its own when a module of Node is first asked for.
process.getBuiltinModule('node:http');
const before = globals();
const sdk = await import('agent-platform-sdk');
const testing = await import('agent-platform-sdk/testing');
const addedGlobals = globals().filter((name) => !before.includes(name));

await runBesideFake({ sdk, testing, addedGlobals, runtime: process.argv[2] });
