import { spawnSync } from 'node:child_process';

/**
 * The whole gate, cheapest first; every step is a script of package.json and can be run by itself. The build comes
 * early, because the examples are linted and type-checked against the built package.
 */
const STEPS = [
  'format:check',
  'build',
  'lint',
  'types',
  'types:examples',
  'test:coverage',
  'test:example',
  'check:package',
  'check:declarations',
  'check:api',
  'test:package',
  'knip',
  'size',
  'footprint',
];

for (const step of STEPS) {
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
