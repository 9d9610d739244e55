/**
 * `npx tsx test/mutation/run.ts [area ...]`: changes the source in one place at a time, and tells which changes no test
 * notices: they are listed in `coverage/mutation/<area>.txt`. It takes about an hour on two cores, so it is no part of CI.
 * Tests that draw thousands of cases or compile programs are left out, and so are those under faults: they kill some of
 * what survives here.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { AREAS, type Area, LEAST_KILLED } from './areas.js';

// Their names are exported by a package that is not ours to depend on.
type StrykerOptions = ConstructorParameters<typeof Stryker>[0];
type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const OUTPUT = 'coverage/mutation';

const { positionals } = parseArgs({ allowPositionals: true });
mkdirSync(OUTPUT, { recursive: true });
for (const name of positionals.length > 0 ? positionals : Object.keys(AREAS)) {
  const area = AREAS[name];
  if (area === undefined) throw new Error(`no area ${name}. Areas: ${Object.keys(AREAS).join(', ')}`);
  // Read by the configuration of the tests, which runs in another process.
  process.env.MUTATION_AREA = name;
  report(name, await new Stryker(optionsFor(name, area)).runMutationTest());
}

function optionsFor(name: string, { mutate }: Area): StrykerOptions {
  return {
    mutate: [...mutate],
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.config.ts', related: false },
    concurrency: 2,
    // A changed code, reason or name of an option does not compile: they are unions. What is left are the words of messages.
    mutator: { excludedMutations: ['StringLiteral'] },
    // Code that runs as a module is loaded cannot be switched on for one test: all would have to run anew for each.
    ignoreStatic: true,
    incremental: true,
    incrementalFile: `${OUTPUT}/${name}.json`,
    ignorePatterns: ['dist', 'coverage', 'bench', 'examples', 'docs'],
    tempDirName: `${OUTPUT}/sandbox`,
    reporters: ['progress-append-only'],
    // Only what never gives up the processor gets here: a test that waits fails by its own limit, sooner.
    timeoutMS: 20_000,
  };
}

function report(name: string, results: readonly MutantResult[]): void {
  const survivors = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const killed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const percent = (100 * killed) / (killed + survivors.length);
  writeFileSync(`${OUTPUT}/${name}.txt`, `${survivors.map(describe).join('\n')}\n`);
  console.log(`${name}: ${killed} killed, ${survivors.length} survived, ${percent.toFixed(1)} %`);
  if (percent < LEAST_KILLED) process.exitCode = 1;
}

/** The place, and what stood there was changed to. */
function describe({ fileName, location, mutatorName, replacement, status }: MutantResult): string {
  const place = `${fileName.replace(/^.*\/src\//, 'src/')}:${location.start.line}:${location.start.column}`;
  const change = replacement.replace(/\s+/g, ' ').slice(0, 120);
  return `${place} ${mutatorName} -> ${change}${status === 'NoCoverage' ? ' (not run)' : ''}`;
}
