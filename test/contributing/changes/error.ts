import type { Change } from '../change.js';

const CLASS = `
/** 410: there was such a record, and it is gone. */
export class GoneError extends ApiError {
  static override readonly errorName = 'GoneError';
  declare readonly type: 'gone_error';
}
`;

const MISHAP = `  GoneError: () => struck({ status: 410, code: 'gone', message: 'The tool is gone.' }, getTool),
`;

/** The printed form is filled in by the test. */
const CHAPTER = `### GoneError

410: there was such a record, and it is gone.

<!-- printed: GoneError -->
\`\`\`text
\`\`\`

Forget its id.

`;

/** A new error class: 410, `GoneError`. */
export const error: Change = {
  heading: 'To add an error',
  edits: [
    { file: 'src/errors/api.ts', after: "  declare readonly type: 'server_error';\n}\n", insert: CLASS },
    {
      file: 'src/errors/base.ts',
      before: "  | 'conflict_error'\n  | 'unprocessable",
      insert: "  | 'gone_error'\n",
    },
    {
      file: 'src/errors/api.ts',
      before: "    | 'conflict_error'\n    | 'unprocessable",
      insert: "    | 'gone_error'\n",
    },
    { file: 'src/index.ts', before: '  HookError,', insert: '  GoneError,\n' },
    {
      file: 'src/client/transport/api-error.ts',
      before: '  422: UnprocessableEntityError,',
      insert: '  410: GoneError,\n',
    },
    { file: 'src/client/transport/api-error.ts', before: '  NotFoundError,\n', insert: '  GoneError,\n' },
    { file: 'README.md', before: '`ConflictError` 409,', insert: '`GoneError` 410, ' },
    { file: 'test/docs/printed-errors.ts', before: '  ConflictError: () =>', insert: MISHAP },
    { file: 'docs/guides/errors.md', before: '### ConflictError\n', insert: CHAPTER },
    {
      file: 'test/client/api-errors.test.ts',
      before: "  [404, NotFoundError, 'not_found_error'],",
      insert: "  [410, GoneError, 'gone_error'],\n",
    },
    { file: 'test/client/api-errors.test.ts', before: '  NotFoundError,\n', insert: '  GoneError,\n' },
  ],
  demanded: [],
  tests: ['test/errors', 'test/client/api-errors.test.ts', 'test/docs/printed.test.ts'],
};
