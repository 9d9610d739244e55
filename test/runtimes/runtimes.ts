import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installedTools } from '../../scripts/tool-cache.js';

/** A runtime that runs a file, as a user would start it. */
export interface Runtime {
  readonly name: string;
  /** Its name in `user-agent`. */
  readonly agent: string;
  /** The command that runs `file`. Installs the runtime where it is not there yet. */
  readonly command: (file: string) => readonly [program: string, ...args: string[]];
}

/** Each is a package of the npm registry, so that one source and one pin serve every machine. */
export const runtimes: readonly Runtime[] = [
  node('20.20.2'),
  node('22.23.3'),
  node('24.21.0'),
  node('26.10.0'),
  {
    name: 'Bun 1.4.4',
    agent: 'bun/1.4.4',
    command: (file) => [binaryOf('bun@1.4.4', '@oven', 'bin/bun'), 'run', file],
  },
  {
    name: 'Deno 2.9.6',
    agent: 'deno/2.9.6',
    command: (file) => [binaryOf('deno@2.9.6', '@deno', 'deno'), 'run', ...DENO_PERMISSIONS, file],
  },
];

/** All that a program needs that calls the service and receives its webhooks, and nothing more. */
const DENO_PERMISSIONS = ['--no-prompt', '--allow-read=.', '--allow-net=127.0.0.1'];

/** The package has to work where no code may be made of strings; so it does where it may. */
const NODE_FLAGS = ['--disallow-code-generation-from-strings'];

function node(version: string): Runtime {
  const folder = `node-${process.platform}-${process.arch}`;
  return {
    name: `Node ${version}`,
    agent: `node/${version}`,
    command: (file) => [
      join(installedTools(`${folder}@${version}`), folder, 'bin/node'),
      ...NODE_FLAGS,
      file,
    ],
  };
}

/** npm installs beside a runtime's own package the one with the binary for this machine, below the same scope. */
export function binaryOf(spec: string, scope: string, path: string): string {
  const home = join(installedTools(spec), scope);
  const [folder = ''] = readdirSync(home).filter((name) => !name.endsWith('-musl'));
  return join(home, folder, path);
}
