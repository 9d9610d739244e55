// Runs a program as Jest does: the program and the package are scripts in a context with its own globals,
// where Node refuses import() without --experimental-vm-modules (https://github.com/nodejs/node/issues/51154).
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { resolve } = require('node:path');
const vm = require('node:vm');

const context = vm.createContext({ console });
for (const name of Object.getOwnPropertyNames(globalThis)) {
  if (!vm.runInContext(`'${name}' in globalThis`, context)) context[name] = globalThis[name];
}

const loaded = new Map();

function load(file) {
  const known = loaded.get(file);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(file, module);
  const code = `(function (exports, require, module, __filename) {${readFileSync(file, 'utf8')}\n})`;
  const run = vm.runInContext(code, context, { filename: file });
  run(module.exports, requireFrom(file), module, file);
  return module.exports;
}

/** Returns the `require` of a file, for what `createRequire` makes too. */
function requireFrom(file) {
  const own = createRequire(file);
  const requireInContext = (name) => {
    if (name === 'node:module') return { createRequire: requireFrom };
    return /^\.|^agent-platform-sdk/.test(name) ? load(own.resolve(name)) : own(name);
  };
  return Object.assign(requireInContext, { resolve: own.resolve });
}

load(resolve(process.argv[2]));
