import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';

/** Outside the project, where `npm run` would silently use a `node` in `node_modules/.bin`. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agent-platform-sdk');

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** Runs npm in a folder, without scripts of packages. Returns what it prints. */
export async function npm(folder: string, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('npm', [...args, ...QUIET], { cwd: folder })).stdout;
}

const installing = new Map<string, Promise<string>>();

/** Installs a package of the npm registry once, without its scripts. Returns its `node_modules`. */
export function installTool(spec: string): Promise<string> {
  const installed = installing.get(spec) ?? install(spec);
  installing.set(spec, installed);
  return installed;
}

async function install(spec: string): Promise<string> {
  const home = join(CACHE, spec.replaceAll(/[^\w.@-]/g, '_'));
  const modules = join(home, 'node_modules');
  if (existsSync(home)) return modules;
  mkdirSync(CACHE, { recursive: true });
  // Installed in a scratch folder and then renamed, so that a half installation is never used.
  const scratch = mkdtempSync(join(CACHE, '.installing-'));
  try {
    writeFileSync(join(scratch, 'package.json'), '{}');
    await npm(scratch, 'install', spec);
    renameSync(scratch, home);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    // If the folder exists, another process was faster.
    if (!existsSync(home)) throw error;
  }
  return modules;
}

/** Finds the binary for this machine, which npm installs with the tool as another package of `scope`. */
export async function binaryOf(spec: string, scope: string, path: string): Promise<string> {
  const home = join(await installTool(spec), scope);
  const [folder = ''] = readdirSync(home).filter((name) => !name.endsWith('-musl'));
  return join(home, folder, path);
}

/** The binary of a version of Node. */
export async function nodeBinary(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  return join(await installTool(`${name}@${version}`), name, 'bin/node');
}

export const bunBinary = (): Promise<string> => binaryOf('bun@1.4.4', '@oven', 'bin/bun');
export const denoBinary = (): Promise<string> => binaryOf('deno@2.9.6', '@deno', 'deno');

/** Waits for a download. If the download fails, the test is skipped; in CI, it fails. */
export async function downloaded<Value>(
  download: Promise<Value>,
  { skip, task }: TestContext,
): Promise<Value> {
  try {
    return await download;
  } catch (error) {
    if (process.env.CI) throw error;
    console.log(`Skipped: ${task.name}. ${String(error).split('\n', 1)[0]}`);
    return skip('a download failed');
  }
}
