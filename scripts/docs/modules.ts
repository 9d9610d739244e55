import { type Application, type Context, Converter } from 'typedoc';

/** Names each entry point as it is imported, not by its file. */
export function nameModules(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    for (const module of project.children ?? []) {
      const path = module.name.replace(/(^|\/)index$/, '');
      module.name = ['agent-platform-sdk', path].filter((part) => part !== '').join('/');
    }
  });
}
