import { existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { npm } from '../runtimes/tool-cache.js';
import { allRows } from '../support/rows.js';
import { removeLater, root } from './consumer.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder outside the project where the packed package is installed; its tarball is `package.tgz`. */
    readonly consumer: string;
  }
}

/** What the tests use beside the package and its peers. Several versions have names of their own. */
const PACKAGES = [
  'types-node-24@npm:@types/node@24.19.2',
  'types-node-25@npm:@types/node@25.9.9',
  'types-node-26@npm:@types/node@26.6.6',
  // servers.test.ts
  '@hono/node-server@2.1.9',
  '@nestjs/common@12.5.1',
  '@nestjs/core@12.5.1',
  '@nestjs/platform-express@12.5.1',
  '@nestjs/platform-fastify@12.5.0',
  'elysia@1.4.30',
  'h3@2.0.8',
  'h3-1@npm:h3@1.15.11',
  'reflect-metadata@0.2.2',
  'rxjs@7.8.2',
  // openapi.test.ts. openapi-typescript brings the other validator, @redocly/openapi-core.
  '@seriousme/openapi-schema-validator@2.11.0',
  'openapi-fetch@0.17.0',
  'openapi-typescript@7.13.0',
];

/** For the rows of types.test.ts that only the night tries. */
const NIGHTLY = [
  'typescript-5.4@npm:typescript@5.4.5',
  'typescript-6.0@npm:typescript@6.0.3',
  'types-node-20@npm:@types/node@20.19.43',
  'types-node-22@npm:@types/node@22.20.5',
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

/** Packages in the versions that a package.json of this repository pins. */
function pinned(folder: string, ...names: readonly string[]): string[] {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly devDependencies?: Readonly<Record<string, string>>;
  };
  const versions = { ...manifest.dependencies, ...manifest.devDependencies };
  return names.map((name) => `${name}@${versions[name]}`);
}

function install(consumer: string): Promise<string> {
  const packages = [
    ...pinned('.', 'msw', 'bullmq', 'ioredis', 'pg', '@types/pg', 'zod', 'hono', 'typescript'),
    ...pinned('examples/drizzle-inbox', 'drizzle-orm'),
    ...pinned('examples/postgres-js-inbox', 'postgres'),
    ...PACKAGES,
    ...(allRows ? NIGHTLY : []),
  ];
  return npm(consumer, 'install', './package.tgz', ...packages);
}
