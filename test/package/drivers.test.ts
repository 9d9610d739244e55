import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresInbox } from 'agent-platform-sdk/postgres';
import { test } from 'vitest';
import { eventually, settled, stored } from '../inbox/fixture.js';
import { downloaded, nodeBinary } from '../runtimes/tool-cache.js';
import { launch } from '../support/example-process.js';
import { lacksPostgres, startPostgres } from '../support/postgres-server.js';
import { compile, install, ownProject, root } from './consumer.js';

// Examples with packages of their own: they complete an event in the transaction of another driver.
const EXAMPLES = ['drizzle-inbox', 'postgres-js-inbox'];

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The packages of an example, as it pins them. */
function packagesOf(example: string): string[] {
  const file = join(root, 'examples', example, 'package.json');
  const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Manifest; // our own
  const { 'agent-platform-sdk': _, ...others } = { ...dependencies, ...devDependencies };
  return Object.entries(others).map(([name, version]) => `${name}@${version}`);
}

test(`${EXAMPLES.join(' and ')} compile, and write what they receive`, async (context) => {
  const { expect, onTestFinished } = context;
  if (lacksPostgres()) context.skip('needs Postgres');
  const folder = ownProject(onTestFinished);
  for (const example of EXAMPLES) {
    cpSync(join(root, 'examples', example, 'worker.ts'), join(folder, `${example}.ts`));
  }
  await downloaded(install(folder, ...new Set(EXAMPLES.flatMap(packagesOf))), context);
  expect(await compile(folder, { skipLibCheck: true })).toBe('');

  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await postgres.query('CREATE TABLE leads (id bigint GENERATED ALWAYS AS IDENTITY, name text, email text)');
  const inbox = createPostgresInbox({ connectionString: postgres.url, logLevel: 'off' });
  onTestFinished(() => inbox.close());
  const node = await downloaded(nodeBinary('24.21.0'), context);
  const env = { ...process.env, DATABASE_URL: postgres.url };
  for (const example of EXAMPLES) {
    const leadEmail = `${example}@acme.example`;
    await inbox.store(stored({ payload: { agentId: 'agent_1', leadEmail } }));
    const worker = launch(node, [`${example}.ts`], { cwd: folder, env });
    await eventually(() => expect(worker.lines).toContain('working'));
    await settled(inbox);
    expect(await postgres.query(`SELECT 1 FROM leads WHERE email = '${leadEmail}'`)).toHaveLength(1);
    expect((await inbox.health()).deadLetters).toBe(0);
    expect(await worker.end()).toEqual([0, null]);
  }
});
