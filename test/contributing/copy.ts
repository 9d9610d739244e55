import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { root } from '../docs/all-blocks.js';
import { type Edit, edited } from './change.js';

const LEFT_OUT = new Set(['.git', '.next', 'build', 'coverage', 'dist', 'node_modules']);

/** A copy of the project to make changes in, with what is installed here. */
export function copyOfProject(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agent-platform-sdk-contributing-'));
  cpSync(root, directory, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

/** Makes an edit in the copy. */
export function make(directory: string, edit: Edit): void {
  const path = join(directory, edit.file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, edited(edit, text));
}

/** Runs a command of the copy. Returns what it has printed and that it has failed, or an empty text. */
export function complaintsOf(directory: string, ...[program = '', ...args]: readonly string[]): string {
  try {
    execFileSync(join('node_modules', '.bin', program), args, { cwd: directory, stdio: 'pipe' });
    return '';
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: Buffer; readonly stderr?: Buffer };
    return `${program} ${args.join(' ')} failed\n${String(stdout)}${String(stderr)}`;
  }
}
