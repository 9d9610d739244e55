/** Builds the API site. A public name without documentation, a type that is not exported, a link to nowhere: each fails. */
import { Application, OptionDefaults, type TypeDocOptions } from 'typedoc';
import { adapt, CONCEPTS } from './docs/adapt.js';
import { writeTextsForModels } from './docs/llms.js';
import { entryPoints, readManifest } from './entry-points.js';

/** The guides, in the order in which they are read. */
const GUIDES = [
  'platform',
  'calls',
  'regions-and-tokens',
  'retries-and-deadlines',
  'errors',
  'validation',
  'logging',
  'endpoints',
  'events',
  'receiver',
  'inbox',
  'fake',
  'command',
  'defaults',
  'why',
];

const { 'cli/index': cli, ...modules } = entryPoints(readManifest());

const options: Partial<TypeDocOptions> = {
  name: 'agent-platform-sdk',
  entryPoints: Object.values(modules),
  tsconfig: 'tsconfig.json',
  out: 'build/docs',
  readme: 'README.md',
  projectDocuments: GUIDES.map((guide) => `docs/guides/${guide}.md`),
  customCss: 'docs/site.css',
  // There is no public repository to link to.
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  includeVersion: true,
  githubPages: false,
  hideGenerator: true,
  sort: ['documents-first', 'kind', 'source-order'],
  // Functions come first; the fields of a record stay in the order of the specification.
  kindSortOrder: [
    'Document',
    'Project',
    'Module',
    'Function',
    'Class',
    'Variable',
    'Interface',
    'TypeAlias',
    'Reference',
    'Constructor',
    'Property',
    'Accessor',
    'Method',
  ],
  sortEntryPoints: false,
  categorizeByGroup: false,
  categoryOrder: [...CONCEPTS, '*'],
  navigation: { includeCategories: true, includeGroups: false, includeFolders: false },
  // Words for the OpenAPI document alone.
  blockTags: [...OptionDefaults.blockTags, '@status'],
  excludeTags: ['@status'],
  preservedTypeAnnotationTags: ['@throws'],
  searchInComments: true,
  searchInDocuments: true,
  highlightLanguages: ['typescript', 'javascript', 'json', 'shellscript', 'yaml', 'text'],
  validation: {
    notExported: true,
    invalidLink: true,
    // The README links to files of the repository too. The project `docs` of the tests follows every link of the built site.
    invalidPath: false,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
  // Helpers of declarations: what they come to is shown where they are used.
  intentionallyNotExported: [
    'FieldsFirstMethod',
    'PathInput',
    'BodyInput',
    'QueryInput',
    'OptionalInput',
    'ResultOf',
    'SendArguments',
    'Table',
    'statuses',
  ],
  // Not names of this package: what its types ask of a schema.
  intentionallyNotDocumented: [
    'agent-platform-sdk.SchemaInput.__type.~standard',
    'agent-platform-sdk.SchemaInput.__type.~standard.__type.types',
    'agent-platform-sdk.SchemaInput.__type.input',
    'agent-platform-sdk.SchemaOutput.__type.~standard',
    'agent-platform-sdk.SchemaOutput.__type.~standard.__type.types',
    'agent-platform-sdk.SchemaOutput.__type.output',
  ],
  treatWarningsAsErrors: true,
};

const app = await Application.bootstrap(options);
adapt(app);
const project = await app.convert();
if (project !== undefined) {
  app.validate(project);
  await app.generateOutputs(project);
  writeTextsForModels(GUIDES, 'build/docs');
}
if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;
