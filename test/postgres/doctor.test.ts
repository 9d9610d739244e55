import { expect, test } from 'vitest';
import { finish } from '../cli/terminal.js';
import { stored } from '../inbox/fixture.js';
import { createInbox, schema, sql, url } from './inbox-fixture.js';

const doctor = async (...args: string[]) => {
  const { code, lines, errors } = await finish(['doctor', '--inbox', ...args]);
  return { code, text: [...lines, ...errors].join('\n') };
};

test('the doctor makes no tables, prints the SQL that does, and looks at the inbox', async () => {
  // The settings of the service are missing, so it never returns 0 but for the SQL.
  const before = await doctor(url, '--schema', schema);
  expect([before.code, before.text]).toEqual([
    1,
    expect.stringMatching(/fail +inbox +The tables are not there yet/),
  ]);
  await sql('CREATE ROLE doctor LOGIN');
  const app = url.replace('postgres@', 'doctor@');
  const printed = await doctor(app, '--schema', schema, '--tables');
  expect(printed.code).toBe(0);
  await sql(printed.text);
  await createInbox({ connectionString: app }).store(stored());
  const { text } = await doctor(app, '--schema', schema);
  expect(text).toMatch(/ok +inbox +accepts events: 1 waiting, 0 active/);
  expect(text).toContain('fsync is off');
});

test('--tables and --schema need the URL of a Postgres, and a password is never printed', async () => {
  for (const args of [
    ['/data/webhooks.db', '--tables'],
    ['/data/webhooks.db', '--schema', 'crm'],
  ]) {
    const { code, text } = await doctor(...args);
    expect([code, text]).toEqual([2, expect.stringContaining('requires --inbox postgres://')]);
  }
  const { text } = await doctor('postgres://app:canary@127.0.0.1:1/app');
  expect(text).toMatch(/fail +inbox +.*ECONNREFUSED/);
  expect(text).not.toContain('canary');
});
