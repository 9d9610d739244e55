/** Raises the version as the changesets ask, and carries it to where it is repeated. The release workflow runs it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

execFileSync('npx', ['changeset', 'version'], { stdio: 'inherit' });

// Both files are this project's own, and npm's.
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  version: string;
  packages: { '': { version: string } };
};

lock.version = version;
lock.packages[''].version = version;
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
const module = 'src/ground/version.ts';
writeFileSync(module, readFileSync(module, 'utf8').replace(/'[^']+'/, `'${version}'`));
