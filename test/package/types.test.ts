import { expect, inject, test } from 'vitest';
import { COMPILERS, compile, RESOLUTIONS } from './compile.js';

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

test('a typical consumer costs the compiler little', async () => {
  const [[, resolution] = expect.unreachable()] = RESOLUTIONS;
  const program = {
    consumer: inject('consumer'),
    name: 'program.ts',
    resolution,
    settings: { skipLibCheck: true },
  };
  const figures = await compile('5.9.3', program, '--extendedDiagnostics');
  const instantiations = Number(/Instantiations:\s+(\d+)/.exec(figures)?.[1]);
  console.log(`Instantiations of a typical consumer: ${instantiations}`);
  expect(instantiations).toBeLessThan(20_000);
});
