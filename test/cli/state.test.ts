import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FakeSnapshot } from 'agent-platform-sdk/testing';
import { afterAll, expect, test, vi } from 'vitest';
import { finish, start } from './terminal.js';

// A bind mount needs root: its refusal is made up.
vi.mock('node:fs', async (original) => {
  const actual = await original<typeof fs>();
  return { ...actual, renameSync: vi.fn(actual.renameSync) };
});

const folder = fs.mkdtempSync(join(tmpdir(), 'state-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Starts the fake, adds a tool and stops it. Returns the tools in its file. */
async function addTool(id: string, file: string): Promise<readonly string[]> {
  const { url, stop, exit } = await start(['fake', '--port', '0', '--state', file]);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ id });
  await fetch(`${url}/_fake/records/eu/tools`, { method: 'POST', headers, body });
  stop();
  await exit;
  const { records } = JSON.parse(fs.readFileSync(file, 'utf8')) as FakeSnapshot;
  return records.eu.tools.map((tool) => tool.id);
}

test('a symbolic link stays one, also to a file that is not there yet', async () => {
  const [link, target] = [join(folder, 'link.json'), join(folder, 'target.json')];
  fs.symlinkSync(target, link);
  await addTool('one', link);
  expect(await addTool('two', link)).toEqual(['tool_eu_1', 'one', 'two']);
  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
  expect(fs.readFileSync(target, 'utf8')).toContain('"two"');
});

test('a file that cannot be replaced, such as a bind mount, is written in place', async () => {
  const file = join(folder, 'mounted.json');
  const busy = Object.assign(new Error('EBUSY: resource busy or locked, rename'), { code: 'EBUSY' });
  const rename = vi.mocked(fs.renameSync).mockImplementation(() => {
    throw busy;
  });
  await addTool('one', file);
  const { ino } = fs.statSync(file);
  expect(await addTool('two', file)).toEqual(['tool_eu_1', 'one', 'two']);
  expect([fs.statSync(file).ino, fs.existsSync(`${file}.new`)]).toEqual([ino, false]);
  rename.mockReset();
});

test('a full disk leaves the file as it was', async () => {
  const file = join(folder, 'full.json');
  await addTool('one', file);
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  vi.mocked(fs.renameSync).mockImplementation(() => {
    throw full;
  });
  const before = fs.readFileSync(file, 'utf8');
  expect((await finish(['fake', '--state', file])).errors[0]).toBe(
    '--state: ENOSPC: no space left on device',
  );
  expect(fs.readFileSync(file, 'utf8')).toBe(before);
  vi.mocked(fs.renameSync).mockReset();
});

test('the error about a wrong file names it', async () => {
  const file = join(folder, 'wrong.json');
  fs.writeFileSync(file, '{"version":9}');
  const { code, errors } = await finish(['fake', '--state', file]);
  expect([code, errors[0]]).toEqual([2, expect.stringContaining(`--state: ${file}: `)]);
});
