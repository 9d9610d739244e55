import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { install, pack, root } from './install.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packed package. */
    readonly tarball: string;
    /** A folder where it is installed with its dependencies alone. */
    readonly consumer: string;
    /** A folder where msw is installed too. */
    readonly consumerWithMsw: string;
  }
}

export default function setup({ provide }: TestProject): () => void {
  if (!existsSync(join(root, 'dist'))) throw new Error('There is no dist: run `npm run build` first.');
  const tarball = pack();
  const consumer = install(tarball);
  const consumerWithMsw = install(tarball, ['msw']);
  provide('tarball', tarball);
  provide('consumer', consumer);
  provide('consumerWithMsw', consumerWithMsw);
  return () => {
    for (const path of [dirname(tarball), consumer, consumerWithMsw]) rmSync(path, { recursive: true });
  };
}
