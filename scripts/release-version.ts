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

replace('src/ground/version.ts', /'[^']+'/, `'${version}'`);
replace('etc/index.api.md', /(?<=export const VERSION = )"[^"]+"/, `"${version}"`);
replace('CHANGELOG.md', /^## Unreleased$/m, `## ${version}`);

/** A file in which there is nothing to replace has changed its form, and its version would be forgotten. */
function replace(file: string, found: RegExp, text: string): void {
  const before = readFileSync(file, 'utf8');
  if (!found.test(before)) throw new Error(`${file} has no ${found}`);
  writeFileSync(file, before.replace(found, text));
}
