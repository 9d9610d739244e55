import { type Application, type CommentDisplayPart, type Context, Converter } from 'typedoc';

/** Takes the links out of the README that lead to files of the repository: the site holds the guides and the pictures. */
export function keepLinksOfTheSite(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }: Context) => {
    if (project.readme !== undefined) project.readme = withoutForeignLinks(project.readme);
  });
}

const isOfTheSite = (path: string): boolean => /^docs\/guides\/|\.(svg|png)$/.test(path);

/** `[label](` is the end of one part, the address is the next, and `)` begins the one after it. */
function withoutForeignLinks(parts: readonly CommentDisplayPart[]): CommentDisplayPart[] {
  const kept = parts.map((part) => ({ ...part }));
  kept.forEach((part, at) => {
    const [before, after] = [kept[at - 1], kept[at + 1]];
    if (part.kind !== 'relative-link' || isOfTheSite(part.text) || !before || !after) return;
    before.text = before.text.replace(/\[([^[\]]*)\]\($/, '$1');
    part.text = '';
    after.text = after.text.replace(/^\)/, '');
  });
  return kept.filter((part) => part.text !== '');
}
