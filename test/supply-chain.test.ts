import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly optional?: boolean;
}

// Both are npm's own formats.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Locked>;
};
const { '': own, ...others } = packages;
const locked = Object.entries(others);
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

test('the package runs nothing when it is installed', () => {
  const hooks = [
    'preinstall',
    'install',
    'postinstall',
    'prepare',
    'preprepare',
    'postprepare',
    'dependencies',
  ];
  expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
});

test('an installation brings one package, and no script', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['zod']);
  expect(packages['node_modules/zod']).not.toHaveProperty('hasInstallScript');
});

test('the lockfile belongs to package.json', () => {
  const { dependencies, devDependencies, peerDependencies } = manifest;
  expect(own).toMatchObject({ dependencies, devDependencies, peerDependencies });
});

test('every locked package comes from the registry in use, by its hash', () => {
  // What only other platforms install may stand there by its version alone, where a mirror lacks it.
  const isForOthers = ({ integrity, os, optional }: Locked) =>
    integrity === undefined && optional === true && os !== undefined;
  const isHashed = ({ integrity = '' }: Locked) => integrity.startsWith('sha512-');
  const isElsewhere = ({ resolved = 'https://registry.npmjs.org/' }: Locked) =>
    !resolved.startsWith('https://registry.npmjs.org/');
  const loose = locked.filter(([, one]) => isElsewhere(one) || !(isHashed(one) || isForOthers(one)));
  expect(loose.map(([path]) => path)).toEqual([]);
});

test('every dependency that would run a script is decided on', () => {
  const scripted = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => nameOf(path));
  expect(scripted.filter((name) => !(name in manifest.allowScripts))).toEqual([]);
});
