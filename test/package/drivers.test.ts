import { readFileSync } from 'node:fs';
import { createPostgresInbox } from 'agent-platform-sdk/postgres';
import { test } from 'vitest';
import { settled, stored } from '../inbox/fixture.js';
import { downloaded, nodeBinary } from '../runtimes/tool-cache.js';
import { launch } from '../support/example-process.js';
import { lacksPostgres, startPostgres } from '../support/postgres-server.js';
import { compile, project } from './consumer.js';

// Examples whose packages `global-setup.ts` installs: they complete an event in the transaction of another driver.
const EXAMPLES = ['drizzle-inbox', 'postgres-js-inbox'];

test(`${EXAMPLES.join(' and ')} compile, and write what they receive`, async (context) => {
  const { expect, onTestFinished } = context;
  if (lacksPostgres()) context.skip('needs Postgres');
  const workers = EXAMPLES.map((example) => [
    `${example}.ts`,
    readFileSync(`examples/${example}/worker.ts`, 'utf8'),
  ]);
  const folder = project({ 'package.json': '{ "type": "module" }', ...Object.fromEntries(workers) });
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
    await worker.prints(/working/);
    await settled(inbox);
    expect(await postgres.query(`SELECT 1 FROM leads WHERE email = '${leadEmail}'`)).toHaveLength(1);
    expect((await inbox.health()).deadLetters).toBe(0);
    expect(await worker.end()).toEqual([0, null]);
  }
});
