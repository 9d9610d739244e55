import { type Application, type Context, Converter, type DocumentReflection } from 'typedoc';

/** Names each guide by its heading, so that it needs no front matter, which other viewers show. */
export function nameGuides(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    for (const guide of project.documents ?? []) guide.name = headingOf(guide);
  });
}

function headingOf(guide: DocumentReflection): string {
  const [first] = guide.content;
  const heading = /^# (.+)$/m.exec(first?.text ?? '')?.[1];
  if (heading === undefined) throw new Error(`the guide ${guide.name} does not begin with a heading`);
  return heading;
}
