/** A part of `src` that is mutated by a run of its own, and the tests that its mutants are held against. */
export interface Area {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

const client = 'test/client/**/*.test.ts';

/** The areas of which most mutants are to be killed. */
export const AREAS: Readonly<Record<string, Area>> = {
  validation: {
    mutate: ['src/validation/!(option-checks).ts', 'src/ground/{issues,json}.ts', 'src/schemas/object.ts'],
    tests: [
      'test/schemas/growth.test.ts',
      'test/client/**/{request-validation,send,validation}.test.ts',
      'test/validation/*.test.ts',
      'test/webhooks/{events,parse}.test.ts',
    ],
  },
  errors: {
    mutate: ['src/errors/*.ts', 'src/ground/redact.ts'],
    tests: [
      'test/errors/*.test.ts',
      'test/ground/redact.test.ts',
      'test/client/**/{api-errors,echo,encodings,response-headers,secrets,thrown}.test.ts',
      'test/validation/validate.test.ts',
      'test/webhooks/parse.test.ts',
    ],
  },
  options: {
    mutate: [
      'src/validation/option-checks.ts',
      'src/client/{settings,options}.ts',
      'src/webhooks/receiver-options.ts',
    ],
    tests: [
      'test/client/{configuration,token,with-options,time-and-abort,hooks,retry,logging}.test.ts',
      'test/webhooks/{misuse,receiver,receiver-deadline,secrets,secret-functions}.test.ts',
    ],
  },
  transport: { mutate: ['src/client/transport/**/*.ts'], tests: [client] },
  webhooks: { mutate: ['src/webhooks/**/*.ts'], tests: ['test/webhooks/*.test.ts'] },
};

/** The percentage of the mutants of each area that is to be killed. */
export const LEAST_KILLED = 85;
