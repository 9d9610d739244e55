import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pack } from '../package/install.js';

const suite = fileURLToPath(new URL('suite', import.meta.url));

/** A scratch project with the packed package, installed as its users install it, and the suite as its program. */
export function createConsumer(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agent-platform-sdk-runtimes-'));
  writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...quiet, pack(directory)], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  cpSync(suite, directory, { recursive: true });
  return directory;
}
