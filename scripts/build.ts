import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'tsup';
import { filesIn } from './files.js';
import { markPureCalls } from './pure-calls.js';
import { writeThirdPartyLicenses } from './third-party-licenses.js';

rmSync('dist', { recursive: true, force: true });
await build({});
markPureCalls('dist');
for (const file of filesIn('dist', '.cjs')) requireLazily(file);
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
