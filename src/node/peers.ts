/*
 * What Node loads as an entry point that needs optional peers. In Node, an import of a package that is missing
 * ends the program before any of its code runs. These files load the entry point when its function is called,
 * and say what to install.
 *
 * Bundlers take the entry point itself, by the condition `module` in package.json: they must see its imports.
 */

import { createRequire } from 'node:module';
import { ConfigurationError } from '../errors/index.js';

/** A function that needs peers, and its entry point. */
interface Needs {
  readonly name: string;
  readonly entry: string;
  readonly peers: readonly string[];
  /** The option with which a peer for tests is installed. */
  readonly flag?: string;
}

export const NEEDS = {
  bullmq: {
    name: 'createBullMQInbox',
    entry: 'agent-platform-sdk/bullmq',
    peers: ['bullmq', 'ioredis'],
  },
  redis: { name: 'createRedisDedupe', entry: 'agent-platform-sdk/redis', peers: ['ioredis'] },
  msw: { name: 'fakeHandlers', entry: 'agent-platform-sdk/testing/msw', peers: ['msw'], flag: '--save-dev ' },
} as const satisfies Readonly<Record<string, Needs>>;

/**
 * Returns a function that loads an entry point.
 *
 * @param url - The `import.meta.url` of the caller: its extension says which build it is part of.
 * @param esModule - Requires the entry point's ES module. The path is a literal, for tools that trace the files
 * of a deployment, such as `@vercel/nft`.
 * @param commonJS - Requires its CommonJS module.
 */
export function loader<Entry>(
  needs: Needs,
  url: string,
  esModule: () => unknown,
  commonJS: () => unknown,
): () => Entry {
  return () => {
    try {
      // The type of its source.
      return (url.endsWith('.cjs') ? commonJS() : requireEither(esModule, commonJS)) as Entry;
    } catch (error) {
      throw explain(error, needs, url);
    }
  };
}

function requireEither(esModule: () => unknown, commonJS: () => unknown): unknown {
  try {
    return esModule();
  } catch (error) {
    // Jest, and Node before 20.19, require no ES modules.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_REQUIRE_ESM') throw error;
    return commonJS();
  }
}

/** The error with which an entry point could not be loaded, or one that says which packages to install. */
export function explain(error: unknown, { name, entry, peers, flag = '' }: Needs, url: string): unknown {
  const require = createRequire(url);
  const missing = peers.filter((peer) => !isInstalled(peer, require));
  const [option] = missing;
  if (option === undefined) return error;
  const install = flag + missing.join(' ');
  const advice = `npm install ${install} (or pnpm add ${install})`;
  const message = `${name} of ${entry} needs ${missing.join(' and ')}: ${advice}`;
  return new ConfigurationError(message, { option, cause: error });
}

function isInstalled(name: string, require: NodeJS.Require): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
