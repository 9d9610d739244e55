import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optional?: boolean;
}

// Both are npm's own formats.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Locked>;
};
const { '': own, ...others } = packages;
const locked = Object.entries(others);

const workflows = readdirSync('.github/workflows').map(
  (name) => [name, readFileSync(`.github/workflows/${name}`, 'utf8')] as const,
);

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

test('every package that Linux x64 installs comes from the registry, by its hash', () => {
  const isFor = (mine: string, allowed: readonly string[] = [mine]) => allowed.includes(mine);
  const isInstalled = ({ os, cpu, libc }: Locked) =>
    isFor('linux', os) && isFor('x64', cpu) && isFor('glibc', libc);
  const isHashed = ({ integrity = '' }: Locked) => integrity.startsWith('sha512-');
  const isElsewhere = ({ resolved = 'https://registry.npmjs.org/' }: Locked) =>
    !resolved.startsWith('https://registry.npmjs.org/');
  const installed = locked.filter(([, one]) => isInstalled(one));
  expect(installed.length).toBeGreaterThan(500);
  const loose = installed.filter(([, one]) => !isHashed(one));
  const elsewhere = locked.filter(([, one]) => isElsewhere(one));
  expect([...loose, ...elsewhere].map(([path]) => path)).toEqual([]);
});

test('no package runs a script when this project is installed', () => {
  expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
});

test.each(workflows)(
  'every action is pinned to a commit, and leaves no credentials behind: %s',
  (_, text) => {
    const actions = text.match(/uses: .*/g) ?? [];
    expect(actions).not.toEqual([]);
    for (const action of actions) expect(action).toMatch(/^uses: [\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
    const checkouts = actions.filter((action) => action.includes('actions/checkout@'));
    expect(text.match(/persist-credentials: false/g)).toHaveLength(checkouts.length);
  },
);

test('only the job that publishes has an identity, and it installs nothing', () => {
  const release = readFileSync('.github/workflows/release.yml', 'utf8');
  const jobs = release.split(/^(?= {2}[\w-]+:$)/m);
  const publish = jobs.filter((job) => job.includes('id-token: write'));
  expect(publish).toHaveLength(1);
  expect(publish[0]).toContain('sha256sum --check');
  expect(publish[0]).not.toMatch(/npm (ci|install)|npx|actions\/checkout/);
  expect(release).not.toContain('secrets.');
});
