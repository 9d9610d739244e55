import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPostgresInbox } from 'agent-platform-sdk/postgres';
import { inject, test } from 'vitest';
import { eventually, settled, stored } from '../inbox/fixture.js';
import { downloaded, nodeBinary } from '../runtimes/tool-cache.js';
import { startProcess } from '../support/example-process.js';
import { lacksPostgres, startPostgres } from '../support/postgres-server.js';
import { removeLater, root } from './consumer.js';

// Examples with packages of their own: they complete an event in the transaction of another driver.

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

test.for(['drizzle-inbox', 'postgres-js-inbox'])(
  '%s compiles, and writes what it has received',
  async (name, context) => {
    if (lacksPostgres()) context.skip('needs Postgres');
    const folder = mkdtempSync(join(tmpdir(), `sdk-${name}-`));
    context.onTestFinished(() => removeLater(folder));
    cpSync(join(root, 'examples', name), folder, { recursive: true });
    const run = (program: string, ...args: string[]) => promisify(execFile)(program, args, { cwd: folder });
    // This version may not be published yet.
    await downloaded(run('npm', 'install', ...QUIET, join(inject('consumer'), 'package.tgz')), context);
    const compilerOptions = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await run('node_modules/.bin/tsc');

    const postgres = await startPostgres();
    context.onTestFinished(() => postgres.stop());
    await postgres.query(
      'CREATE TABLE leads (id bigint GENERATED ALWAYS AS IDENTITY, name text, email text)',
    );
    const inbox = createPostgresInbox({ connectionString: postgres.url, logLevel: 'off' });
    context.onTestFinished(() => inbox.close());
    await inbox.store(stored({ payload: { agentId: 'agent_1', leadEmail: 'kim@acme.example' } }));
    const node = await downloaded(nodeBinary('24.21.0'), context);
    const worker = startProcess(join(folder, 'worker.ts'), { DATABASE_URL: postgres.url }, [], node);
    await eventually(() => context.expect(worker.lines).toContain('working'));
    await settled(inbox);
    context.expect(await postgres.query('SELECT email FROM leads')).toEqual([{ email: 'kim@acme.example' }]);
    context.expect((await inbox.health()).deadLetters).toBe(0);
    context.expect(await worker.end()).toEqual([0, null]);
  },
);
