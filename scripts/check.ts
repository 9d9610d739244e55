import { spawnSync } from 'node:child_process';

/** The whole gate, cheapest first; every step is a script of package.json and can be run by itself. */
const STEPS = [
  'format:check',
  'lint',
  'types',
  'test:coverage',
  'build',
  'types:examples',
  'test:example',
  'check:package',
  'check:declarations',
  'check:api',
  'test:package',
  'knip',
  'size',
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
