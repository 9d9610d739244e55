import { existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { npm } from '../runtimes/tool-cache.js';
import { removeLater, root } from './consumer.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder outside the project where the packed package is installed; its tarball is `package.tgz`. */
    readonly consumer: string;
  }
}

/** The versions that users have, under names of their own. */
const VERSIONS = [
  'typescript-5.4@npm:typescript@5.4.5',
  'typescript-6.0@npm:typescript@6.0.3',
  'typescript-7.0@npm:typescript@7.0.2',
  'types-node-20@npm:@types/node@20.19.43',
  'types-node-22@npm:@types/node@22.20.5',
  'types-node-24@npm:@types/node@24.19.2',
  'types-node-25@npm:@types/node@25.9.9',
  'types-node-26@npm:@types/node@26.6.6',
  'zod-oldest@npm:zod@3.25.76',
];

// Vitest loads this file once per project (4.1, `_initializeGlobalSetup`), so what all projects of a run share is kept
// globally.
const shared = globalThis as { packed?: Promise<string>; installed?: Promise<unknown> };

export default async function setup({ name, provide }: TestProject): Promise<() => void> {
  shared.packed ??= pack();
  const consumer = await shared.packed;
  // `latest` needs only the tarball.
  if (name !== 'latest') await (shared.installed ??= install(consumer));
  provide('consumer', consumer);
  return () => removeLater(consumer);
}

async function pack(): Promise<string> {
  if (!existsSync(join(root, 'dist/index.js'))) throw new Error('dist is missing: npm run build');
  const consumer = mkdtempSync(join(tmpdir(), 'sdk-consumer-'));
  writeFileSync(join(consumer, 'package.json'), '{ "private": true }');
  const packed = await npm(root, 'pack', '--silent', '--pack-destination', consumer);
  renameSync(join(consumer, packed.trim()), join(consumer, 'package.tgz'));
  return consumer;
}

function install(consumer: string): Promise<string> {
  // Our own package.json.
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  const peers = ['msw', 'bullmq', 'ioredis', 'pg', '@types/pg', 'zod'].map(
    (name) => `${name}@${devDependencies[name]}`,
  );
  return npm(consumer, 'install', './package.tgz', ...peers, ...VERSIONS);
}
