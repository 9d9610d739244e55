import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { blocksOfMarkdown, blocksOfSource, type CodeBlock } from './code-blocks.js';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export const read = (document: string): string => readFileSync(`${root}/${document}`, 'utf8');

/** The files below a directory of the project, whose names end so. Empty where there is no such directory. */
export function filesIn(directory: string, suffix: string): string[] {
  if (!existsSync(`${root}/${directory}`)) return [];
  return readdirSync(`${root}/${directory}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(suffix) && !file.includes('node_modules'))
    .map((file) => `${directory}/${file}`)
    .sort();
}

/** Every TypeScript block of the documentation, and of the doc comments. */
export function allBlocks(): CodeBlock[] {
  const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  const written = documents.filter((document) => existsSync(`${root}/${document}`));
  return [
    ...[...written, ...filesIn('docs', '.md'), ...filesIn('examples', '.md')].flatMap((document) =>
      blocksOfMarkdown(document, read(document)),
    ),
    ...filesIn('src', '.ts').flatMap((source) => blocksOfSource(source, read(source))),
  ];
}
