import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes `llms.txt`, which names what there is to read, and `llms-full.txt`, which holds all of it, beside the pages of the site:
 * for programs that read text. Both are made of the README and the guides, and say nothing of their own.
 */
export function writeTextsForModels(guides: readonly string[], out: string): void {
  const readme = readFileSync('README.md', 'utf8');
  const documents = guides.map((guide) => {
    const text = readFileSync(`docs/guides/${guide}.md`, 'utf8');
    return { title: firstLine(text).replace('# ', ''), address: `documents/${pageOf(text)}.html`, text };
  });
  const links = documents.map(
    ({ title, address, text }) => `- [${title}](${address}): ${firstSentence(text)}`,
  );
  const [about = ''] = readme.split('\n\n').slice(1);
  const index = ['# agent-platform-sdk', quoted(about), '## Guides', links.join('\n')];
  writeFileSync(`${out}/llms.txt`, `${index.join('\n\n')}\n`);
  const texts = [readme, readFileSync('AGENTS.md', 'utf8'), ...documents.map(({ text }) => text)];
  writeFileSync(`${out}/llms-full.txt`, texts.join('\n'));
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** The name that the site gives to the page of a guide: its title. */
const pageOf = (text: string): string => firstLine(text).replace('# ', '').replaceAll(' ', '_');

/** The first paragraph, up to its first full stop. */
function firstSentence(text: string): string {
  const paragraph = text.split('\n\n').find((part) => /^[\w`]/.test(part) && !part.startsWith('```')) ?? '';
  return paragraph.replaceAll('\n', ' ').split(/(?<=\.)\s/, 1)[0] ?? '';
}

const quoted = (text: string): string => text.replaceAll(/^/gm, '> ');
