/** Runs each peer in its own process, as an application would: plain JavaScript, installed packages. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Figures, Peer } from './rounds.js';

/** Installed from the registry, outside the project. */
const PEERS = ['@octokit/webhooks@14.2.0', 'openai@7.57.0', 'retell-sdk@5.66.1'];
/** Linked from the project, where they are development dependencies. */
const LINKED = ['bullmq', 'ioredis', 'ky', 'pg'];

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = makeFolder();

/** Writes a file that the processes can read, and returns its path. */
export function writeSample(name: string, text: string): string {
  const path = join(folder, name);
  fs.writeFileSync(path, text);
  return path;
}

export interface Running extends Peer {
  /** The port it listens on, if it serves. */
  readonly port: number;
}

/** Starts one of the `*-peers.ts`, and resolves when it is ready. */
export async function start(script: string, task: object): Promise<Running> {
  // Without tsx, which runs this file.
  const child = fork(join(folder, script), [JSON.stringify(task)], { execArgv: [] });
  const port = Number(await nextMessage(child));
  return {
    port,
    async measure() {
      child.send('measure');
      // `ready` in child.ts sends nothing else.
      return (await nextMessage(child)) as Figures;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null) => reject(new Error(`${child.spawnargs.at(-1)} ended with ${code}`));
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('exit', fail);
      resolve(message);
    });
  });
}

/** Makes a folder below the installed peers, with this package linked and the scripts transpiled. */
function makeFolder(): string {
  if (!fs.existsSync(join(root, 'dist/index.js'))) throw new Error('dist is missing: npm run build');
  const made = fs.mkdtempSync(join(installPeers(), 'run-'));
  process.once('exit', () => fs.rmSync(made, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));
  const modules = join(made, 'node_modules');
  fs.mkdirSync(modules);
  fs.symlinkSync(root, join(modules, 'agent-platform-sdk'));
  for (const name of LINKED) fs.symlinkSync(join(root, 'node_modules', name), join(modules, name));
  fs.writeFileSync(join(made, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  for (const name of [
    'child',
    'rounds',
    'calls-peers',
    'deliveries-peers',
    'inbox-peers',
    'inbox-file-peers',
    'memory-peers',
  ]) {
    const source = fs.readFileSync(join(root, `bench/${name}.ts`), 'utf8');
    fs.writeFileSync(join(made, `${name}.js`), ts.transpileModule(source, { compilerOptions }).outputText);
  }
  return made;
}

/** Installs the peers once for all runs, in a folder that is renamed when complete: never half installed. */
function installPeers(): string {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agent-platform-sdk');
  const home = join(cache, `bench-${PEERS.join('+').replaceAll('/', '-')}`);
  if (fs.existsSync(home)) return home;
  fs.mkdirSync(cache, { recursive: true });
  const scratch = fs.mkdtempSync(join(cache, '.installing-'));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', scratch, ...quiet, ...PEERS], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  fs.renameSync(scratch, home);
  return home;
}
