import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { npm } from '../runtimes/tool-cache.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** TypeScript 7, the fastest. */
export const TYPESCRIPT = join(root, 'node_modules/typescript-7');

/** Returns the folder of a package that is installed for all tests. */
export const installed = (name: string): string => join(inject('consumer'), 'node_modules', name);

/** Returns the folder of the installed package. */
export const installedPackage = (): string => installed('agent-platform-sdk');

/** Returns the packed package. */
export const tarball = (): string => join(inject('consumer'), 'package.tgz');

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

type Files = Readonly<Record<string, string>>;

const writeFiles = (folder: string, files: Files): void => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
};

/** Creates a user's project, from which the installed package can be imported. */
export function project(files: Files): string {
  const folder = mkdtempSync(join(inject('consumer'), 'project-'));
  writeFiles(folder, files);
  return folder;
}

/**
 * Creates a user's project outside the one of all tests, with copies of folders of this repository. `finished`
 * registers its removal: `afterAll` or `onTestFinished`.
 */
export function ownProject(
  finished: (remove: () => void) => void,
  files: Files = {},
  ...copied: readonly string[]
): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-project-'));
  finished(() => removeLater(folder));
  writeFiles(folder, { 'package.json': '{ "private": true, "type": "module" }', ...files });
  for (const path of copied) {
    const isFolder = statSync(join(root, path)).isDirectory();
    cpSync(join(root, path), isFolder ? folder : join(folder, basename(path)), { recursive: true });
  }
  return folder;
}

/** Installs the packed package in a project, and packages of the registry. */
export async function install(folder: string, ...packages: readonly string[]): Promise<void> {
  await npm(folder, 'install', tarball(), ...packages);
}

/** Writes the options of a strict program to be checked, and the given ones. */
export function writeTsconfig(folder: string, options: object, include?: readonly string[]): void {
  const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, noEmit: true, ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
}

/** Compiles a project with TypeScript 7. Returns what it prints: nothing, without errors. */
export function compile(folder: string, options: object): Promise<string> {
  writeTsconfig(folder, options);
  return tsc(TYPESCRIPT, folder);
}

/** Runs a compiler. Returns what it prints, also if it exits with 1 or 2 because of errors. */
export async function tsc(typescript: string, cwd: string): Promise<string> {
  const compiled = execute(process.execPath, [join(typescript, 'bin/tsc')], { cwd });
  const { stdout, stderr } = await compiled.catch((error: { stdout: string; stderr: string }) => error);
  return (stdout + stderr).trim();
}

export const execute = promisify(execFile);

/** Runs the current Node in a folder, and returns what it prints. */
export function run(folder: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
}

/** Removes a folder in the background, because removing thousands of installed files takes seconds. */
export function removeLater(folder: string): void {
  const code = 'fs.rmSync(process.argv[1], { recursive: true, force: true })';
  spawn(process.execPath, ['--eval', code, folder], { detached: true, stdio: 'ignore' }).unref();
}
