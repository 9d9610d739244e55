import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/**
 * The whole gate, cheapest first; every step is a script of package.json and can be run by itself. The build comes
 * early, because the examples are linted and type-checked against the built package. `--without test` leaves out a step
 * that was run just before.
 */
const STEPS = [
  'format:check',
  'build',
  'lint',
  'types',
  'types:examples',
  'test',
  'test:example',
  'check:package',
  'check:declarations',
  'check:api',
  'test:package',
  'knip',
  'size',
  'footprint',
];

const { values } = parseArgs({ options: { without: { type: 'string', multiple: true, default: [] } } });

for (const step of STEPS.filter((name) => !values.without.includes(name))) {
  console.log(`\n=== ${step}`);
  const started = Date.now();
  const { status } = spawnSync('npm', ['run', '--silent', step], { stdio: 'inherit' });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (status !== 0) {
    console.error(`\n=== ${step} failed after ${seconds} s`);
    process.exit(1);
  }
  console.log(`=== ${step} passed in ${seconds} s`);
}
