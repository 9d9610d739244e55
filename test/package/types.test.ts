import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import { errorsOf, prepare, type Resolution } from './compile.js';

const { Node16, NodeNext, ESNext } = ts.ModuleKind;
const resolutions: [name: string, resolution: Resolution][] = [
  [
    'node16, ESM',
    { packageType: 'module', module: Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  ],
  [
    'node16, CommonJS',
    { packageType: 'commonjs', module: Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  ],
  [
    'nodenext, ESM',
    { packageType: 'module', module: NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  ],
  ['bundler', { packageType: 'module', module: ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
];

test.each(resolutions)(
  'a strict consumer compiles under %s, with no msw and no node types',
  (_, resolution) => {
    const { file, options } = prepare(inject('consumer'), 'program.ts', resolution);
    expect(errorsOf(file, options)).toEqual([]);
  },
);

test.each(resolutions)('a consumer of the msw handlers compiles under %s', (_, resolution) => {
  const { file, options } = prepare(inject('consumerWithMsw'), 'with-msw.ts', resolution);
  // The declarations of msw itself are not what is checked here.
  expect(errorsOf(file, { ...options, skipLibCheck: true })).toEqual([]);
});
