// Takes one event: verify, parse, hand to a handler. Ours validates the payload too.
import { readFileSync } from 'node:fs';
import { microsPer, report, task } from './measure.mjs';

const { prepare } = await import(`./webhooks/${task.library}.mjs`);

for (const { metric, file } of task.events) {
  const body = readFileSync(file, 'utf8');
  let handled = 0;
  const take = await prepare(body, () => {
    handled += 1;
  });
  report(metric, task.subject, await microsPer(take));
  if (handled === 0) throw new Error(`${task.subject} did not hand on ${file}`);
}
process.exit(0);
