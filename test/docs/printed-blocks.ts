/** What programs print, by the name that the guides give it. */
export type PrintedForms = ReadonlyMap<string, string>;

const BLOCK = /(<!-- printed: (.+) -->\n```text\n)[\s\S]*?(```)/g;

/** The names of the printed blocks of a guide: each stands in a comment on the line before. */
export function namesIn(guide: string): string[] {
  return [...guide.matchAll(BLOCK)].map(([, , name = '']) => name);
}

/** The guide with what is really printed in its blocks. */
export function withPrinted(guide: string, forms: PrintedForms): string {
  return guide.replace(BLOCK, (_, before: string, name: string, after: string) => {
    const form = forms.get(name);
    if (form === undefined) throw new Error(`nothing prints "${name}"`);
    return `${before}${form}\n${after}`;
  });
}
