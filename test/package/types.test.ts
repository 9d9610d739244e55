import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { installedTools } from '../../scripts/tool-cache.js';
import { COMPILERS, compile, RESOLUTIONS } from './compile.js';
import { root } from './install.js';

const everywhere = COMPILERS.flatMap((version) =>
  RESOLUTIONS.map(([name, resolution]) => [version, name, resolution] as const),
);

test.concurrent.each(everywhere)(
  'a strict consumer compiles with TypeScript %s under %s',
  async (version, _name, resolution) => {
    const program = { consumer: inject('consumer'), name: 'program.ts', resolution };
    expect(await compile(version, program)).toBe('');
  },
);

const optional = RESOLUTIONS.flatMap(([name, resolution]) =>
  (['with-msw.ts', 'with-queue.ts'] as const).map((file) => [file, name, resolution] as const),
);

test.concurrent.each(optional)('%s compiles under %s', async (name, _name, resolution) => {
  // The declarations of msw, BullMQ and ioredis themselves are not what is checked here.
  const settings = { skipLibCheck: true };
  const program = { consumer: inject('consumerWithPeers'), name, resolution, settings };
  expect(await compile('5.9.3', program)).toBe('');
});

test('a typical consumer costs the compiler less than the same program on openai-node', async () => {
  const own = await instantiations('sdk.ts', inject('consumer'));
  const theirs = await instantiations('openai.ts', consumerOf('openai'));
  console.log(`Instantiations of a typical consumer: ${own}; of the same program on openai-node: ${theirs}`);
  expect(own).toBeLessThan(theirs);
});

/** Of a program that reads, creates, handles errors and takes webhooks. */
async function instantiations(name: string, consumer: string): Promise<number> {
  const [[, resolution] = expect.unreachable()] = RESOLUTIONS;
  const program = { consumer, name, from: 'bench/peers/types', resolution, settings: { skipLibCheck: true } };
  const figures = await compile('5.9.3', program, '--extendedDiagnostics');
  expect(figures).not.toContain('error TS');
  return Number(/Instantiations:\s+(\d+)/.exec(figures)?.[1]);
}

/** A folder where a peer is installed, in the version that the benches measure. */
function consumerOf(peer: string): string {
  // This project's own file.
  const { dependencies } = JSON.parse(readFileSync(join(root, 'bench/peers/package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const consumer = mkdtempSync(join(tmpdir(), 'agent-platform-sdk-peer-'));
  onTestFinished(() => rmSync(consumer, { recursive: true }));
  symlinkSync(installedTools(`${peer}@${dependencies[peer]}`), join(consumer, 'node_modules'));
  return consumer;
}
