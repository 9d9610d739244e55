import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the folder of the installed package. */
export const installedPackage = (): string => join(inject('consumer'), 'node_modules/agent-platform-sdk');

/** Reads a program of `consumers/`. */
export const source = (name: string): string =>
  readFileSync(join(root, 'test/package/consumers', name), 'utf8');

/** Returns a program that imports zod as a project with zod 3.25 does, in which `zod` is version 3. */
export const withZod4 = (program: string): string => program.replaceAll(/'zod(?=['/])/g, "'zod/v4");

/** Lists the files below a folder whose names end in `suffix`, as paths relative to the folder. */
export function filesIn(folder: string, suffix = ''): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith(suffix) && statSync(join(folder, file)).isFile(),
  );
}

/** Creates a user's project, from which the installed package can be imported. */
export function project(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(inject('consumer'), 'project-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs the current Node in a folder, and returns what it prints. */
export function run(folder: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
}

/** Removes a folder in the background, because removing thousands of installed files takes seconds. */
export function removeLater(folder: string): void {
  const code = 'fs.rmSync(process.argv[1], { recursive: true, force: true })';
  spawn(process.execPath, ['--eval', code, folder], { detached: true, stdio: 'ignore' }).unref();
}
