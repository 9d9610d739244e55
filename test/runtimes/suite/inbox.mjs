// The rules of an inbox: `inbox.mjs file` in this folder, `inbox.mjs postgres` at DATABASE_URL, `inbox.mjs refused` in
// a runtime without a safe SQLite. Prints the results as one line of JSON.
import { createWebhookReceiver } from 'agent-platform-sdk';
import { createPostgresInbox } from 'agent-platform-sdk/postgres';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import { fixtures, inboxConformance } from 'agent-platform-sdk/testing';
import { equal, ok, resultsOf, thrownBy } from './harness.mjs';

const SECRET = 'a-workspace-secret-of-the-suite';

const kind = process.argv[2];

/** Opens an inbox that no other check has used. */
function openInbox() {
  const id = crypto.randomUUID().replaceAll('-', '_');
  const options = { attempts: 3, backoff: 1, logLevel: 'off' };
  return kind === 'postgres'
    ? createPostgresInbox({ connectionString: process.env.DATABASE_URL, schema: `inbox_${id}`, ...options })
    : createSqliteInbox({ path: `inbox-${id}.db`, ...options });
}

const checks = Object.fromEntries(
  inboxConformance.map(({ name, run }) => [
    name,
    () =>
      run(() => {
        const inbox = openInbox();
        const work = (process) => {
          const worker = inbox.work({ process, handles: () => true });
          return () => worker.close({ grace: 0 });
        };
        const deadLetters = async () => (await inbox.deadLetters.list()).map(({ webhook }) => webhook);
        return { inbox, work, deadLetters };
      }),
  ]),
);

checks['handles what a receiver has stored, and closes'] = async () => {
  const inbox = openInbox();
  const receiver = createWebhookReceiver({ secret: SECRET, inbox, logLevel: 'off' });
  const body = JSON.stringify(fixtures.delivery('lead_captured', SECRET));
  equal((await receiver.handle({ method: 'POST', body })).status, 200);
  const handled = new Promise((resolve) => inbox.work({ lead_captured: ({ type }) => resolve(type) }));
  equal(await handled, 'lead_captured');
  await inbox.close();
  equal((await inbox.health()).ready, false);
};

/** A runtime without a safe SQLite has one check: that the error says so. */
const refusal = {
  async 'says what to use instead'() {
    const { name, message } = await thrownBy(openInbox);
    equal(name, 'ConfigurationError');
    ok(message.includes('Use Node 22.22.3+ or 24.15+, Bun, or Deno'), message);
  },
};

const results = await resultsOf(kind === 'refused' ? refusal : checks, (check) => check());
console.log(JSON.stringify(results));
// Inboxes that a rule has left open.
process.exit();
