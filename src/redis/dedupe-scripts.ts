import { LuaScript } from './lua-script.js';

/** A key holds `done`, or `held:` and the owner of the claim; it expires with the claim or the window. */
export const claimScript = /* @__PURE__ */ new LuaScript(`
local value, mine = redis.call('GET', KEYS[1]), 'held:' .. ARGV[1]
if value == 'done' then return 'done' end
if value and value ~= mine then return 'pending' end
redis.call('SET', KEYS[1], mine, 'PX', ARGV[2])
return 'new'`);

/** An owner whose lease ran out completes too, unless another has claimed since. */
export const completeScript = /* @__PURE__ */ new LuaScript(`
local value = redis.call('GET', KEYS[1])
if value and value ~= 'done' and value ~= 'held:' .. ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
return 1`);

export const releaseScript = /* @__PURE__ */ new LuaScript(`
if redis.call('GET', KEYS[1]) ~= 'held:' .. ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);
