import { OptionDefaults, type TypeDocOptions } from 'typedoc';
import { entryPoints, readManifest } from '../entry-points.js';
import { CONCEPTS } from './concepts.js';

/** Where the site is written. Not in git. */
export const SITE = 'build/docs';

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
];

const { 'cli/index': cli, ...modules } = entryPoints(readManifest());

export const settings: Partial<TypeDocOptions> = {
  name: 'agent-platform-sdk',
  entryPoints: Object.values(modules),
  tsconfig: 'scripts/docs/tsconfig.json',
  out: SITE,
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
  // What is called comes first; the fields of a record stay in the order of the document.
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
  // A status that the document shows for an operation.
  blockTags: [...OptionDefaults.blockTags, '@status'],
  preservedTypeAnnotationTags: ['@throws'],
  searchInComments: true,
  searchInDocuments: true,
  highlightLanguages: ['typescript', 'javascript', 'json', 'shellscript', 'text'],
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
    'PathInput',
    'BodyInput',
    'QueryInput',
    'OptionalInput',
    'ResultOf',
    'SendArguments',
    'Table',
  ],
  // What these ask of a schema, not what they are.
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
