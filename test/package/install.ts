import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packs the built package as `npm publish` would, into a directory, and returns the tarball. */
export function pack(directory: string): string {
  const printed = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', directory],
    {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const [packed] = JSON.parse(printed) as [{ filename: string }];
  return join(directory, packed.filename);
}

/**
 * Lays out what `npm install` of the tarball would, without the network: the package unpacked, its dependencies
 * copied from this project. `also` names packages that the consumer has installed by itself.
 */
export function install(tarball: string, also: readonly string[] = []): string {
  const consumer = mkdtempSync(join(tmpdir(), 'agent-platform-sdk-consumer-'));
  const modules = join(consumer, 'node_modules');
  const home = join(modules, 'agent-platform-sdk');
  mkdirSync(home, { recursive: true });
  // A project of its own: no package.json above it has a say.
  writeFileSync(join(consumer, 'package.json'), '{ "private": true }');
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', home]);
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true });
  }
  // Linked, so that it finds its own dependencies where they are installed.
  for (const name of also) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  return consumer;
}

/** Writes a project of the consumer's own, which resolves what is installed above it. */
export function project(consumer: string, files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(consumer, 'project-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

/** Runs a file of `consumers/` as a program of the consumer's and returns what it prints. `as` may make CommonJS of a module. */
export function run(
  consumer: string,
  module: string,
  { as = `${module}.mjs`, flags = [] }: { as?: string; flags?: readonly string[] } = {},
): unknown {
  const text = readFileSync(join(root, `test/package/consumers/${module}.mjs`), 'utf8');
  const common = text.replaceAll(/^import (\{.*\}) from (.*);$/gm, 'const $1 = require($2);');
  const directory = project(consumer, { [as]: as.endsWith('.cjs') ? common : text });
  return JSON.parse(execFileSync(process.execPath, [...flags, join(directory, as)], { encoding: 'utf8' }));
}
