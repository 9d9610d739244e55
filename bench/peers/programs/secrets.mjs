import { readFileSync } from 'node:fs';
import { parseWebhook } from 'agent-platform-sdk';
import { microsPer, report, task } from './measure.mjs';

const names = Array.from({ length: task.count }, (_, index) => `workspace_${index}`);
const secret = Object.fromEntries(names.map((name) => [name, `bench-secret of ${name}`]));
const last = names.at(-1);
const event = JSON.parse(readFileSync(task.body, 'utf8'));
event.payload.workspaceSecret = secret[last];
const body = JSON.stringify(event);

const value = await microsPer(() => {
  if (parseWebhook(body, { secret }).workspace !== last) throw new Error('not the workspace');
});
report('secrets', task.subject, value);
