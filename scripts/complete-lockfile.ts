/**
 * Writes the optional packages of other platforms back into package-lock.json. Where the registry in use does not have
 * them, npm leaves them out of the file, and `npm ci` then refuses it. The version is what the depending package pins;
 * the platform is in the name, such as `@scope/cli-linux-x64-musl`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

// The file is npm's own; a shape it does not have would end in a lockfile that `npm ci` refuses.
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

const missing = Object.entries(lock.packages).flatMap(([path, locked]) =>
  Object.entries(locked.optionalDependencies ?? {})
    .filter(([name, version]) => /^\d/.test(version) && !isLocked(path, name))
    .map(([name, version]) => [`node_modules/${name}`, placeholder(name, version, locked)] as const),
);

lock.packages = Object.fromEntries(
  [...Object.entries(lock.packages), ...missing].sort(([a], [b]) => a.localeCompare(b, 'en')),
);
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${missing.length} packages of other platforms written back`);

function isLocked(dependent: string, name: string): boolean {
  return `node_modules/${name}` in lock.packages || `${dependent}/node_modules/${name}` in lock.packages;
}

function placeholder(name: string, version: string, dependent: LockedPackage): LockedPackage {
  const words = name.split(/[/-]/);
  const os = words.filter((word) => SYSTEMS.includes(word));
  const cpu = words.filter((word) => PROCESSORS.includes(word));
  if (os.length !== 1 || cpu.length !== 1) throw new Error(`${name} names no platform`);
  const dev = dependent.dev === true ? { dev: true } : {};
  return { version, cpu, ...dev, ...libcOf(words), optional: true, os };
}

function libcOf(words: readonly string[]): Pick<LockedPackage, 'libc'> {
  if (!words.includes('linux')) return {};
  if (words.some((word) => word.startsWith('musl'))) return { libc: ['musl'] };
  return words.some((word) => word.startsWith('gnu')) ? { libc: ['glibc'] } : {};
}
