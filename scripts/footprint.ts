/** Prints what an installation of the package costs, beside packages for comparable work. Asserts nothing. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { install, pack } from '../test/package/install.js';
import { filesIn } from './files.js';
import { installedTools } from './tool-cache.js';

const PEERS = ['openai', 'stripe', 'retell-sdk', '@octokit/webhooks'];

// This project's own file.
const { dependencies } = JSON.parse(readFileSync('bench/peers/package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};

interface Footprint {
  readonly name: string;
  readonly tarball: number;
  readonly files: number;
  readonly bytes: number;
}

const rows = [own(), ...PEERS.map((name) => peer(`${name}@${dependencies[name]}`))];
console.log(`${'installed with its dependencies'.padEnd(32)}   tarball     files    on disk`);
for (const { name, tarball, files, bytes } of rows) {
  console.log(
    `${name.padEnd(32)} ${inKilobytes(tarball)} ${String(files).padStart(9)} ${inKilobytes(bytes)}`,
  );
}

function own(): Footprint {
  const packed = mkdtempSync(join(tmpdir(), 'agent-platform-sdk-'));
  const tarball = pack(packed);
  const directory = install(tarball);
  const found = { name: 'agent-platform-sdk', tarball: statSync(tarball).size, ...installed(directory) };
  for (const path of [packed, directory]) rmSync(path, { recursive: true });
  return found;
}

function peer(spec: string): Footprint {
  const args = ['pack', '--dry-run', '--json', '--loglevel=error', spec];
  const printed = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ size }] = JSON.parse(printed) as [{ size: number }];
  return { name: spec, tarball: size, ...installed(dirname(installedTools(spec))) };
}

function installed(directory: string): Pick<Footprint, 'files' | 'bytes'> {
  const sizes = filesIn(`${directory}/node_modules`, '')
    .map((path) => statSync(path))
    .filter((entry) => entry.isFile())
    .map(({ size }) => size);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function inKilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`.padStart(10);
}
