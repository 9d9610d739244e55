import { readFileSync } from 'node:fs';
import { AgentPlatform } from 'agent-platform-sdk';
import { report, task } from './measure.mjs';

const bytes = readFileSync(task.file);
const text = bytes.toString();

report(task.metric, 'JSON.parse', await medianTurn(() => JSON.parse(text)));
for (const validation of ['tolerant', 'report', 'strict']) {
  const platform = new AgentPlatform({
    region: 'eu',
    token: 'bench-token',
    baseUrls: { eu: 'http://127.0.0.1' },
    maxRetries: 0,
    logLevel: 'off',
    validation,
    fetch: async () => new Response(bytes, { status: task.status }),
  });
  // A hostile answer is refused, in most modes.
  const call = () => platform.orgs.listMembersAndTeams('org').catch(() => undefined);
  report(task.metric, validation, await medianTurn(call));
}

/** The median of {@link longestTurn}, once the work is warm. */
async function medianTurn(work) {
  await repeat(work);
  const turns = (await repeat(() => longestTurn(work))).sort((one, other) => one - other);
  return turns[Math.floor(turns.length / 2)];
}

/** What `work` returns each time, for as long as a figure may take. */
async function repeat(work) {
  const results = [];
  const end = performance.now() + task.effort;
  do results.push(await work());
  while (performance.now() < end);
  return results;
}

/** The longest time in milliseconds that others wait for their turn of the event loop while `work` runs. */
async function longestTurn(work) {
  let longest = 0;
  let isOver = false;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isOver = true;
  return longest;
}
