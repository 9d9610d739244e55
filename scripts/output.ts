import { readFileSync, writeFileSync } from 'node:fs';

/** What tsup's output lacks, as functions from a file's text to its text. Lines stay where they are, for the source maps. */
type Rewriting = (text: string) => string;

export function rewrite(files: readonly string[], rewriting: Rewriting): void {
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const rewritten = rewriting(text);
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}

/** A class that mentions itself becomes `var Name = class _Name`, and users would read `_Name` in their logs. */
export const keepClassNames: Rewriting = (text) =>
  [...text.matchAll(/\b(\w+) = class _\1\b/g)].reduce(
    (renamed, [, name = '']) => renamed.replaceAll(new RegExp(`\\b_${name}\\b`, 'g'), name),
    text,
  );

/** Rollup's pass over CommonJS names the source map, and tsup names it again. */
export const nameMapOnce: Rewriting = (text) => text.replace(/(\n\/\/# sourceMappingURL=\S+)\1\s*$/, '$1\n');

/** `Symbol.asyncDispose` in a declaration must compile whatever `lib` its user has chosen. */
export const referenceDisposable: Rewriting = (text) =>
  text.includes('Symbol.asyncDispose') ? `/// <reference lib="esnext.disposable" />\n${text}` : text;
