import { rmSync } from 'node:fs';
import { build } from 'tsup';
import { writeThirdPartyLicenses } from './third-party-licenses.js';

rmSync('dist', { recursive: true, force: true });
await build({});
writeThirdPartyLicenses('dist');
