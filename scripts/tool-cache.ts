import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Outside the project: a `node` in its `node_modules/.bin` would be what `npm run` uses, without a word. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agent-platform-sdk');

/**
 * The `node_modules` of a folder in which npm has installed these packages, each with its exact version. Installed
 * once and kept; no install script runs.
 */
export function installedTools(...packages: readonly string[]): string {
  const home = join(CACHE, packages.join('+').replaceAll(/[^\w.@+-]/g, '_'));
  if (!existsSync(home)) install(home, packages);
  return join(home, 'node_modules');
}

/** Installs beside the place and moves there, so that no half of an installation is ever taken for one. */
function install(home: string, packages: readonly string[]): void {
  mkdirSync(CACHE, { recursive: true });
  const scratch = mkdtempSync(join(CACHE, '.installing-'));
  try {
    writeFileSync(join(scratch, 'package.json'), '{}');
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...quiet, ...packages], {
      cwd: scratch,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    renameSync(scratch, home);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(home)) throw error;
  }
}
