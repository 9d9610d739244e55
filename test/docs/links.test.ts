import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const guides = readdirSync('docs/guides').filter((file) => file.endsWith('.md'));
const markdown = (folder: string, recursive = true): string[] =>
  readdirSync(folder, { recursive, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
    .map((file) => join(folder, file));
const documents = [
  ...markdown('.', false),
  ...['docs', 'examples', 'skills'].flatMap((folder) => markdown(folder)),
];

/** The anchors that GitHub and npm give the headings of a document. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\d _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every link and picture of a document leads to a file, and to a heading of it', () => {
  const broken = documents.flatMap((document) => {
    const links = readFileSync(document, 'utf8').matchAll(
      /(?:\]\(|(?:src|srcset)=")(?!https?:)([^)"#\s]*)(?:#([^)"\s]+))?/g,
    );
    return [...links].flatMap(([, path = '', anchor]) => {
      const target = path === '' ? document : join(dirname(document), path);
      const leads =
        existsSync(target) &&
        (anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor));
      return leads ? [] : [`${document}: ${path}${anchor === undefined ? '' : `#${anchor}`}`];
    });
  });
  expect(broken).toEqual([]);
});

test('every file that AGENTS names exists', () => {
  const paths = readFileSync('AGENTS.md', 'utf8').matchAll(
    /`((?:src|test|scripts|docs|etc|bench)\/[\w./-]+)`/g,
  );
  expect([...paths].map(([, path = '']) => path).filter((path) => !existsSync(path))).toEqual([]);
});

test('README names at most 15 guides, and these or the changelog link to the others', () => {
  const linked = (document: string, link: RegExp): string[] =>
    [...readFileSync(document, 'utf8').matchAll(link)].map(([, file = '']) => file);
  const toGuides = /\]\(docs\/guides\/([\w-]+\.md)/g;
  const named = [...new Set(linked('README.md', toGuides))];
  expect(named.length).toBeLessThanOrEqual(15);
  const further = named.flatMap((file) => linked(`docs/guides/${file}`, /\]\(([\w-]+\.md)/g));
  const found = new Set([...named, ...linked('CHANGELOG.md', toGuides), ...further]);
  expect(guides.filter((file) => !found.has(file))).toEqual([]);
});
