import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'tsup';
import { filesIn } from './files.js';
import { markPureCalls } from './pure-calls.js';
import { writeThirdPartyLicenses } from './third-party-licenses.js';

rmSync('dist', { recursive: true, force: true });
await build({});
markPureCalls('dist');
for (const file of filesIn('dist', '.cjs')) requireLazily(file);
for (const file of [...filesIn('dist', '.d.ts'), ...filesIn('dist', '.d.cts')]) referenceDisposable(file);
writeThirdPartyLicenses('dist');

/** Jest runs CommonJS without `import()`: what a module loads late, its CommonJS twin requires late. */
function requireLazily(file: string): void {
  const code = readFileSync(file, 'utf8');
  const required = code.replaceAll(
    /\bimport\(("[^"]+"|'[^']+')\)/g,
    'Promise.resolve().then(() => require($1))',
  );
  if (required !== code) writeFileSync(file, required);
}

/** `Symbol.asyncDispose` in a declaration must compile whatever `lib` its user has chosen. */
function referenceDisposable(file: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('Symbol.asyncDispose')) return;
  writeFileSync(file, `/// <reference lib="esnext.disposable" />\n${text}`);
}
