import { Application } from 'typedoc';
import { sortByConcept } from './docs/concepts.js';
import { hideOwnConstructors } from './docs/constructors.js';
import { requireExamples } from './docs/examples.js';
import { nameGuides } from './docs/guides.js';
import { nameModules } from './docs/modules.js';
import { keepLinksOfTheSite } from './docs/readme.js';
import { shortenSchemas } from './docs/schemas.js';
import { findMethodsAsTheyAreCalled } from './docs/search.js';
import { settings } from './docs/settings.js';
import { linkThrownErrors } from './docs/throws.js';

/** Builds the API site. A public name without documentation, a type that is not exported, a link to nowhere: each fails. */
async function build(): Promise<boolean> {
  const app = await Application.bootstrap(settings);
  nameModules(app);
  nameGuides(app);
  keepLinksOfTheSite(app);
  hideOwnConstructors(app);
  requireExamples(app);
  linkThrownErrors(app);
  sortByConcept(app);
  shortenSchemas(app);
  findMethodsAsTheyAreCalled(app);
  const project = await app.convert();
  if (project === undefined) return false;
  app.validate(project);
  await app.generateOutputs(project);
  return !app.logger.hasErrors() && !app.logger.hasWarnings();
}

if (!(await build())) process.exitCode = 1;
