/** Gives ES modules the declarations of CommonJS, which both may import: so each declaration is installed once. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { entryPoints, readManifest } from './entry-points.js';

for (const name of Object.keys(entryPoints(readManifest()))) {
  if (name === 'cli/index') continue;
  const text = readFileSync(`dist/${name}.d.cts`, 'utf8');
  // msw declares its classes once for each kind of module, so what names them is copied.
  const isCopied = text.includes("from 'msw'");
  writeFileSync(`dist/${name}.d.ts`, isCopied ? text : `export * from './${basename(name)}.cjs';\n`);
}
