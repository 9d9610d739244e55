/**
 * Compares the public declarations with the committed reports in `etc/`, so that no public change goes
 * unnoticed. `--update` rewrites the reports, for the difference to be reviewed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { entryPoints } from './entry-points.js';

const compilerOptions = {
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'bundler',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  strict: true,
  skipLibCheck: true,
};

// Release tags are not used here. A forgotten export is reported with its line in dist, which moves with every build:
// ApiReportGenerator.js:236 in @microsoft/api-extractor 7.60, `formatMessageWithLocation`.
const silent = { logLevel: ExtractorLogLevel.None };

const update = process.argv.includes('--update');
const scratch = mkdtempSync(join(tmpdir(), 'api-report-'));
const entries = Object.keys(entryPoints()).filter((name) => name !== 'cli/index');
const configs = entries.map((entry) => [entry, configFor(entry)] as const);
// One program for all of them, which takes most of the time.
const additionalEntryPoints = entries.map((entry) => resolve(`dist/${entry}.d.cts`));
const compilerState = CompilerState.create(configFor('index'), { additionalEntryPoints });
const changed = configs.filter(([, config]) => hasChanged(config)).map(([entry]) => entry);
rmSync(scratch, { recursive: true });

if (changed.length > 0 && !update) {
  console.error(`The public declarations differ from etc/ in: ${changed.join(', ')}.
If this is intended: run \`npm run api -- --update\`, and commit etc/ with a line in CHANGELOG.md.`);
  process.exit(1);
}
console.log(`${entries.length} entry points, ${changed.length} reports ${update ? 'written' : 'changed'}`);

function configFor(entry: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: resolve('package.json'),
    configObject: {
      projectFolder: resolve('.'),
      mainEntryPointFilePath: resolve(`dist/${entry}.d.cts`),
      newlineKind: 'lf',
      compiler: { overrideTsconfig: { compilerOptions } },
      apiReport: {
        enabled: true,
        reportFileName: entry.replace(/\/index$/, '').replaceAll('/', '-'),
        reportFolder: resolve('etc'),
        reportTempFolder: scratch,
      },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: { default: silent, 'ae-forgotten-export': silent },
        tsdocMessageReporting: { default: silent },
      },
    },
  });
}

function hasChanged(config: ExtractorConfig): boolean {
  const { succeeded, apiReportChanged } = Extractor.invoke(config, {
    compilerState,
    localBuild: update,
    messageCallback: (message) => {
      // Only errors are printed: warnings repeat what the comparison of the reports shows.
      if (message.logLevel !== ExtractorLogLevel.Error) message.handled = true;
    },
  });
  return apiReportChanged || !succeeded;
}
