/** Carries the version of package.json to where it is repeated, after changesets has raised it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { rewrite } from './output.js';

// Both files are this project's own, and npm's.
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  version: string;
  packages: { '': { version: string } };
};

lock.version = version;
lock.packages[''].version = version;
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
rewrite(['src/ground/version.ts'], (text) => text.replace(/'[^']+'/, `'${version}'`));
