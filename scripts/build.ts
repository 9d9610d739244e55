import { rmSync } from 'node:fs';
import { build } from 'tsup';
import { filesIn } from './files.js';
import { keepClassNames, nameMapOnce, referenceDisposable, rewrite } from './output.js';
import { markPureCalls } from './pure-calls.js';
import { writeThirdPartyLicenses } from './third-party-licenses.js';

const built = (...suffixes: string[]): string[] => suffixes.flatMap((suffix) => filesIn('dist', suffix));

rmSync('dist', { recursive: true, force: true });
await build({});
markPureCalls('dist');
rewrite(built('.js', '.cjs'), keepClassNames);
rewrite(built('.cjs'), nameMapOnce);
rewrite(built('.d.ts', '.d.cts'), referenceDisposable);
writeThirdPartyLicenses('dist');
