import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/**
 * The gate: `npm run check`, or steps of it by name, such as `npm run check -- size`; `--without build` leaves one out. Cheap
 * steps come first.
 */
const STEPS: Readonly<Record<string, string>> = {
  format: 'biome check --linter-enabled=false .',
  lint: 'npm run lint',
  types: 'npm run types',
  build: 'npm run build',
  size: 'size-limit',
  publint: 'publint --strict',
  attw: 'attw --pack .',
  api: 'npm run api',
  test: 'npm test',
  package: 'npm test -- --project package',
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { without: { type: 'string', multiple: true, default: [] } },
});
for (const name of [...positionals, ...values.without]) {
  if (!(name in STEPS)) throw new Error(`no step ${name}, but ${Object.keys(STEPS).join(', ')}`);
}

for (const [name, command] of Object.entries(STEPS)) {
  if (values.without.includes(name) || (positionals.length > 0 && !positionals.includes(name))) continue;
  console.log(`\n=== ${name}`);
  const started = Date.now();
  // Run by npm, this process finds the commands of the installed packages.
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit' });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`=== ${name} ${status === 0 ? 'passed' : 'failed'} after ${seconds} s`);
  if (status !== 0) process.exit(1);
}
