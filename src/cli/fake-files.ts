import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { formatPath, type Issue } from '../ground/issues.js';
import { parseJson } from '../ground/json.js';
import { checkInput, InputError } from '../testing/check-input.js';
import { type FakePlatform, insideOf } from '../testing/fake.js';
import type { StartRecords } from '../testing/records.js';
import type { FakeSnapshot } from '../testing/snapshot.js';
import { startRecordsSchema } from '../testing/state.js';
import { UsageError } from './command.js';

/** Milliseconds after a change until the state is written: changes come in bursts. */
const WRITE_AFTER = 100;

/** @throws {UsageError} When the file cannot be read, or is not what a fake can begin with. */
export function readSeedFile(path: string): StartRecords {
  const checked = checkInput(startRecordsSchema(), readJsonFile('--seed', path));
  if (checked.ok) return checked.value;
  throw new UsageError(`--seed: ${path} is wrong${kindsOf(checked.issues)}`);
}

/**
 * Restores what a file holds, if it is there, and writes the fake's state to it after each change.
 *
 * @returns A function that writes it at once.
 * @throws {UsageError} When the file cannot be read or written, or holds no state.
 */
export function keepState(fake: FakePlatform, path: string, warn: (message: string) => void): () => void {
  if (existsSync(path)) restore(fake, path);
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    // Another name first: a state that is cut off half way would be none.
    writeFileSync(`${path}.new`, `${JSON.stringify(fake.snapshot(), undefined, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };
  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    try {
      write();
    } catch (error) {
      warn(`--state: ${(error as Error).message}`);
    }
  };
  try {
    // Whether it can be kept is known now, and not when there is something to lose.
    write();
  } catch (error) {
    throw new UsageError(`--state: ${(error as Error).message}`, { cause: error });
  }
  insideOf(fake).changes.listen((name) => {
    if (name === 'changed') timer ??= setTimeout(save, WRITE_AFTER);
  });
  return save;
}

function restore(fake: FakePlatform, path: string): void {
  // `restore` checks every field of what it is given.
  const snapshot = readJsonFile('--state', path) as FakeSnapshot;
  try {
    fake.restore(snapshot);
  } catch (error) {
    const problem = error instanceof InputError ? kindsOf(error.issues) : `: ${(error as Error).message}`;
    throw new UsageError(`--state: ${path} is wrong${problem}`, { cause: error });
  }
}

function readJsonFile(flag: string, path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // `readFileSync` throws Errors that name the file.
    throw new UsageError(`${flag}: ${(error as Error).message}`, { cause: error });
  }
  const value = parseJson(text);
  if (value === undefined) throw new UsageError(`${flag}: ${path} is not JSON${problemIn(text)}`);
  return value;
}

/** ` at line 3, column 7: Unexpected token '}'`: as far as the runtime's own parser tells. */
function problemIn(text: string): string {
  try {
    JSON.parse(text);
    return '.';
  } catch (error) {
    const { message } = error as Error;
    const at = positionIn(message, text);
    const before = text.slice(0, at).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    const [problem = ''] = message.split(/,? (?:(?:in JSON )?at position|\.{3}"|"|is not valid JSON)/);
    return ` at line ${before.length}, column ${column}: ${problem}.`;
  }
}

/** V8 tells the position, or shows the text with ten characters at each side of it, or means the end. */
function positionIn(message: string, text: string): number {
  const told = /at position (\d+)/.exec(message)?.[1];
  if (told !== undefined) return Number(told);
  const [, token = '', ahead, shown = ''] =
    /^Unexpected token '(.+?)', (\.{3})?"(.*)"(?:\.{3})? is not/s.exec(message) ?? [];
  if (token === '') return text.length;
  if (ahead !== undefined) return text.indexOf(shown) + 10;
  return shown.length < text.length ? shown.length - 10 : text.lastIndexOf(token);
}

/** One line for each kind of problem: what is wrong with every tool is told once. */
function kindsOf(issues: readonly Issue[]): string {
  const kinds = new Map<string, { count: number; first: string }>();
  for (const { path, message } of issues) {
    const place = formatPath(path);
    const kind = `${place.replace(/\[\d+\]/g, '[]')}: ${message}`;
    const known = kinds.get(kind);
    kinds.set(kind, { count: (known?.count ?? 0) + 1, first: known?.first ?? `${place}: ${message}` });
  }
  return [...kinds]
    .map(([kind, { count, first }]) =>
      count === 1 ? first : `${kind} (${count} times, first at ${first.split(':')[0]})`,
    )
    .map((line) => `\n  - ${line}`)
    .join('');
}
