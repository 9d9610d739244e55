/** The package in which programs run, with the peers and the package under test installed beside each other. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const programs = here('peers/programs');
const modules = here('peers/node_modules');

/** Installs the peers as pinned, unless they are. */
export function installPeers(): void {
  const mark = join(modules, '.bench-lock.json');
  const lock = readFileSync(here('peers/package-lock.json'), 'utf8');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  console.log('installing the peers, once');
  const args = ['ci', '--prefix', here('peers'), '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(mark, lock);
}

/** Puts a copy of the built package beside the peers, as a user's install would, and the parts measured alone. */
export async function installPackage(directory: string): Promise<void> {
  const target = join(modules, 'agent-platform-sdk');
  if (!existsSync(join(directory, 'dist/index.js'))) {
    throw new Error(`${directory} holds no built package: npm run build`);
  }
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const part of ['package.json', 'dist']) {
    cpSync(join(directory, part), join(target, part), { recursive: true });
  }
  await bundleInternals();
}

async function bundleInternals(): Promise<void> {
  const target = join(modules, 'bench-internals');
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), '{ "type": "module", "main": "index.js" }\n');
  await build({
    entryPoints: [here('internals.ts')],
    outfile: join(target, 'index.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  });
}

/** Tells whether programs can import a package. */
export function isInstalled(name: string): boolean {
  return existsSync(join(modules, name, 'package.json'));
}

/** Files that programs read, in a directory that is gone afterwards. */
export class Scratch {
  readonly #directory = mkdtempSync(join(tmpdir(), 'bench-'));

  /** Writes a text, once, and returns the path of its file. */
  readonly file = (name: string, text: () => string): string => {
    const path = join(this.#directory, name);
    if (!existsSync(path)) writeFileSync(path, text());
    return path;
  };

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
