import { ConfigurationError } from 'agent-platform-sdk';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import { afterEach, expect, test, vi } from 'vitest';

// On any Node: what it has is replaced.

afterEach(() => void vi.restoreAllMocks());

function stubRuntime(sqlite: unknown): void {
  const { getBuiltinModule } = process;
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) =>
    name === 'node:sqlite' ? sqlite : getBuiltinModule(name)) as typeof getBuiltinModule);
}

const sqliteOf = (version: string) => ({
  DatabaseSync: class {
    prepare = () => ({ all: () => [{ version }] });
    close = () => undefined;
  },
});

test.each([
  ['no SQLite', undefined, /has no node:sqlite/],
  ['a SQLite that can corrupt the file', sqliteOf('3.51.2'), /has SQLite 3.51.2, in which two connections/],
  ['a much older one', sqliteOf('3.46.1'), /has SQLite 3.46.1/],
])('a runtime with %s is refused, with what to use', (_, sqlite, problem) => {
  stubRuntime(sqlite);
  const create = () => createSqliteInbox({ path: '/nowhere/webhooks.db' });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(problem);
  expect(create).toThrow(/Use Node 22\.22\.3\+ or 24\.15\+, Bun, or Deno\. Or use createPostgresInbox/);
});

test.each(['3.51.3', '3.52.0', '3.53.4', '4.0.0'])('SQLite %s is taken', (version) => {
  stubRuntime(sqliteOf(version));
  // What is wrong then is the path.
  expect(() => createSqliteInbox({ path: '/nowhere/webhooks.db' })).toThrow(/Create its folder/);
});
