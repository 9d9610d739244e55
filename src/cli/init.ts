import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFakePlatform } from '../testing/fake-platform.js';
import { dotenv } from '../testing/http/dotenv.js';
import { VERSION } from '../utils/version.js';
import { type Command, parse, UsageError } from './command.js';

/** The servers: each is a project in `examples/init`. */
const SERVERS = ['express', 'hono', 'nest', 'next'] as const;

/** What an inbox adds to a project. */
interface InboxParts {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** A line of `.env`. */
  readonly setting?: string;
}

/** The inboxes. The examples have an `inbox.ts` for a file, which one of `examples/init/inbox` replaces. */
const INBOXES: Readonly<Record<string, InboxParts>> = {
  file: {},
  postgres: {
    dependencies: { pg: '8.23.1' },
    devDependencies: { '@types/pg': '8.23.1' },
    setting: 'DATABASE_URL=postgres://postgres:postgres@127.0.0.1:5432/postgres\n',
  },
};

/** npm packs no `.gitignore`. */
const GITIGNORE = 'node_modules/\ndist/\n.next/\nnext-env.d.ts\n.env\nwebhooks.db*\n';

/** Writes a project: a copy of an example, with settings for the fake. */
export const init: Command = {
  summary: 'write a project that receives webhooks',
  help: `agent-platform-sdk init <folder> --server <name> [options]

Writes a project into an empty or a new folder: a receiver and a worker with an inbox, an orderly end, /ready, a
handler, a test, and settings for the fake. It overwrites nothing.

Options
  --server <name>  ${SERVERS.join(', ')}
  --inbox <name>   where events are kept: ${Object.keys(INBOXES).join(', ')} (default: file)

Other servers: docs/guides/servers.md. An inbox on Redis: examples/bullmq-inbox.`,
  async run(args, terminal) {
    const options = { server: { type: 'string' }, inbox: { type: 'string', default: 'file' } } as const;
    const { values, operand: folder } = parse(args, options, 'a folder for the project');
    const server = oneOf('--server', values.server, SERVERS);
    const inbox = oneOf('--inbox', values.inbox, Object.keys(INBOXES));
    const target = resolve(folder);
    if (existsSync(target) && readdirSync(target).some((name) => name !== '.git')) {
      throw new UsageError(`${folder} is not empty. Name an empty or a new folder: init overwrites nothing.`);
    }
    const files = projectFiles(server, inbox, basename(target));
    for (const [path, text] of files) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      writeFileSync(join(target, path), text, { flag: 'wx' });
    }
    const needs = inbox === 'postgres' ? ', with your DATABASE_URL in .env' : '';
    terminal.out(`Wrote ${files.size} files. Next:

  cd ${/\s/.test(folder) ? `'${folder}'` : folder}
  npm install
  npm test
  npx agent-platform-sdk fake --webhook http://127.0.0.1:3000/webhooks

Then, in a second terminal${needs}: npm run dev`);
    return 0;
  },
};

/** The texts of a project, by their paths in it. */
function projectFiles(server: string, inbox: string, name: string): Map<string, string> {
  const example = inPackage(`examples/init/${server}`);
  const files = new Map<string, string>();
  for (const path of readdirSync(example, { recursive: true, encoding: 'utf8' })) {
    const isInbox = basename(path) === 'inbox.ts' && inbox !== 'file';
    const source = isInbox ? inPackage(`examples/init/inbox/${inbox}.ts`) : join(example, path);
    if (statSync(source).isFile()) files.set(path, readFileSync(source, 'utf8'));
  }
  const parts = INBOXES[inbox] ?? {};
  files.set('package.json', manifest(files.get('package.json') ?? '', name, parts));
  const settings = dotenv(createFakePlatform().state, 'eu', 'http://127.0.0.1:4010');
  files.set('.env', `${settings}\n${parts.setting ?? ''}`);
  return files.set('.gitignore', GITIGNORE);
}

/** Adds the name, this package at this version, and the packages of the inbox. */
function manifest(text: string, name: string, parts: InboxParts): string {
  const example = JSON.parse(text) as Required<Pick<InboxParts, 'dependencies' | 'devDependencies'>>;
  const own = { 'agent-platform-sdk': `^${VERSION}` };
  const dependencies = { ...own, ...example.dependencies, ...parts.dependencies };
  const devDependencies = { ...example.devDependencies, ...parts.devDependencies };
  // npm refuses other names. A private package needs none.
  const named = /^[a-z0-9][\w.-]*$/.test(name) ? { name } : {};
  return `${JSON.stringify({ ...named, ...example, dependencies, devDependencies }, undefined, 2)}\n`;
}

function oneOf(option: string, value: string | undefined, names: readonly string[]): string {
  if (value !== undefined && names.includes(value)) return value;
  const problem = value === undefined ? `Missing ${option}` : `Unknown ${option} "${value}"`;
  throw new UsageError(`${problem}. Choose one of: ${names.join(', ')}.
Other servers: ${inPackage('docs/guides/servers.md')}
An inbox on Redis: ${inPackage('examples/bullmq-inbox')}`);
}

/** The path of a file of this package, from `src/cli` and from `dist/cli`. */
function inPackage(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
