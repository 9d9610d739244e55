import { readdirSync, readFileSync } from 'node:fs';
import type { Logger } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { RecordingLogger } from './recording-logger.js';

/** Returns the default that a program meets. Gets the documented one, to try what is just above it. */
type Observe = (documented: never) => unknown;

/** An interface, its option, and how the default of that shows. */
export type DefaultRows = Readonly<Record<string, Observe>>;

const INTERFACE = /interface (\w+)[^{]*\{\n([\s\S]*?)\n\}/g;
const OPTION = /\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\s*readonly (\w+)\??:/g;
const DEFAULT = /\bDefault:? (?:`([^`]+)`|(none)|(false)|(\d[\d ]*(?:\.\d+)?)(?: ?(MiB|hours|days))?)/;
const UNITS: Readonly<Record<string, number>> = { MiB: 1024 ** 2, hours: 3_600_000, days: 86_400_000 };

/** Reads the defaults from the doc comments in some files of `src`. Leaves out those that are described in words. */
function readDefaults(files: readonly string[]): Map<string, unknown> {
  const defaults = new Map<string, unknown>();
  for (const file of files) {
    for (const [, name, body = ''] of readFileSync(`src/${file}`, 'utf8').matchAll(INTERFACE)) {
      for (const [, comment = '', option] of body.matchAll(OPTION)) {
        const found = DEFAULT.exec(comment.replace(/\s*\n\s*\* ?/g, ' '));
        if (found !== null) defaults.set(`${name}.${option}`, valueOf(found));
      }
    }
  }
  return defaults;
}

function valueOf([, code, none, no, digits = '', unit]: RegExpExecArray): unknown {
  if (no !== undefined) return false;
  if (none !== undefined) return none;
  if (code === undefined) return Number(digits.replaceAll(' ', '')) * (UNITS[unit ?? ''] ?? 1);
  return code.startsWith('{') ? JSON.parse(code) : code.replaceAll("'", '');
}

/** Tests that each default which the doc comments of these files give has a row, and is as they say. */
export function testDefaults(files: (pathInSrc: string) => boolean, rows: DefaultRows): void {
  const documented = readDefaults(
    (readdirSync('src', { recursive: true }) as string[]).filter(
      (file) => file.endsWith('.ts') && files(file),
    ),
  );

  test('each documented default has a row', () => {
    expect(Object.keys(rows).sort()).toEqual([...documented.keys()].sort());
  });

  test.each([...documented])('the default of %s is %j', async (name, value) => {
    expect(await rows[name]?.(value as never)).toEqual(value);
  });
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Returns the least severe level of what an act logs. */
export async function lowestLevel(act: (logger: Logger) => unknown): Promise<string | undefined> {
  const logger = new RecordingLogger();
  await act(logger);
  return LEVELS.find((level) => logger.lines.some((line) => line.startsWith(level)));
}

/** Returns `console` if an act without a logger logs there. */
export async function whereLogged(act: (logger: undefined) => unknown): Promise<string | undefined> {
  const spies = LEVELS.map((level) => vi.spyOn(console, level).mockImplementation(() => undefined));
  await act(undefined);
  const isLogged = spies.some((spy) => spy.mock.calls.length > 0);
  for (const spy of spies) spy.mockRestore();
  return isLogged ? 'console' : undefined;
}
