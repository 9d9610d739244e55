import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from './files.js';

/**
 * Writes `THIRD-PARTY-LICENSES` beside the built code: the license of every package whose code the source maps show
 * to be inside. Licenses such as MIT must travel with each copy.
 */
export function writeThirdPartyLicenses(directory: string): void {
  const sections = bundledPackages(directory).map(licenseSection);
  writeFileSync(join(directory, 'THIRD-PARTY-LICENSES'), sections.join(`\n${'-'.repeat(80)}\n\n`));
}

function bundledPackages(directory: string): string[] {
  const sources = filesIn(directory, '.map').flatMap(
    (map) => (JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }).sources,
  );
  const names = sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function licenseSection(name: string): string {
  const folder = join('node_modules', name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} is bundled but carries no license file`);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
