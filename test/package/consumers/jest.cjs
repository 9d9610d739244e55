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
  const ownRequire = createRequire(file);
  const code = `(function (exports, require, module) {${readFileSync(file, 'utf8')}\n})`;
  const requireInContext = (name) =>
    /^\.|^agent-platform-sdk/.test(name) ? load(ownRequire.resolve(name)) : ownRequire(name);
  vm.runInContext(code, context, { filename: file })(module.exports, requireInContext, module);
  return module.exports;
}

load(resolve(process.argv[2]));
