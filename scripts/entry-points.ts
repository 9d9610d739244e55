import { readFileSync } from 'node:fs';

/** Maps each built entry point that package.json names to its source: `{ 'testing/index': 'src/testing/index.ts' }`. */
export function entryPoints(): Record<string, string> {
  const built = readFileSync('package.json', 'utf8').matchAll(/"\.\/dist\/([\w/-]+)\.js"/g);
  return Object.fromEntries(Array.from(built, ([, name = '']) => [name, `src/${name}.ts`]));
}
