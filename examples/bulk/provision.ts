// npx tsx --env-file=.env provision.ts agents.txt journal.txt 20
import { readFileSync } from 'node:fs';
import { AgentPlatform, AgentPlatformError, BadRequestError, type VariableInput } from 'agent-platform-sdk';
import { openJournal } from './journal.js';
import { listVariables } from './operations.js';

const [agentsFile = 'agents.txt', journalFile = 'journal.txt', concurrency = '10'] = process.argv.slice(2);

/** What each agent gets. */
const variables: readonly VariableInput[] = [
  { key: 'plan', defaultValue: 'free' },
  { key: 'language', defaultValue: 'en' },
];

interface Task {
  readonly id: string;
  readonly agentId: string;
  readonly variable: VariableInput;
}

// A 429 is waited for and repeated by the client, as its `Retry-After` says.
const platform = new AgentPlatform({ maxRetries: 20 });
const journal = openJournal(journalFile);
const agentIds = readFileSync(agentsFile, 'utf8').split('\n').filter(Boolean);
const tasks = agentIds.flatMap((agentId) =>
  variables.map((variable): Task => ({ id: `${agentId}/${variable.key}`, agentId, variable })),
);
const remaining = tasks.filter(({ id }) => !journal.isDone(id));
const failures: string[] = [];

// The workers share one iterator: each takes the next task when it is done with its last.
const queue = remaining.values();
async function work(): Promise<void> {
  for (const task of queue) {
    try {
      await provision(task);
      journal.done(task.id);
    } catch (error) {
      failures.push(`${task.id}: ${String(error)}`);
    }
  }
}
console.log(`${remaining.length} of ${tasks.length} variables to create`);
await Promise.all(Array.from({ length: Number(concurrency) }, work));
for (const failure of failures) console.error(failure);
console.log(`${remaining.length - failures.length} created, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Creates a variable, unless it is there. */
async function provision(task: Task): Promise<void> {
  const { id, agentId, variable } = task;
  // An earlier run was killed while it waited for the response.
  if (journal.isStarted(id) && (await isThere(task))) return;
  journal.started(id);
  for (let attempts = 1; ; attempts += 1) {
    try {
      await platform.variables.create(agentId, variable);
      return;
    } catch (error) {
      // Look before repeating: the call may have taken effect, or its key may be taken, which is a 400 too (4.2).
      const mayBeThere = error instanceof AgentPlatformError && error.outcomeUnknown;
      if (!mayBeThere && !(error instanceof BadRequestError)) throw error;
      if (await isThere(task)) return;
      if (attempts === 3) throw error;
    }
  }
}

async function isThere({ agentId, variable }: Task): Promise<boolean> {
  const existing = await platform.send(listVariables, { path: { agentId } });
  return existing.some(({ key }) => key === variable.key);
}
