import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { install, pack } from './install.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packed package. */
    readonly tarball: string;
    /** A folder where it is installed with its dependencies alone. */
    readonly consumer: string;
    /** A folder where msw, BullMQ and ioredis are installed too. */
    readonly consumerWithPeers: string;
  }
}

export default function setup({ provide }: TestProject): () => void {
  const packed = mkdtempSync(join(tmpdir(), 'agent-platform-sdk-'));
  const tarball = pack(packed);
  const consumer = install(tarball);
  const consumerWithPeers = install(tarball, ['msw', 'bullmq', 'ioredis']);
  provide('tarball', tarball);
  provide('consumer', consumer);
  provide('consumerWithPeers', consumerWithPeers);
  return () => {
    for (const path of [packed, consumer, consumerWithPeers]) rmSync(path, { recursive: true });
  };
}
