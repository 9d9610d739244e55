/**
 * The Standard Schema interface (https://standardschema.dev), version 1: what Zod, Valibot, ArkType and others
 * implement, so that an endpoint of one's own can be declared with any of them.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** What the schema's library and its users have agreed on. */
  readonly '~standard': {
    /** The version of the interface. */
    readonly version: 1;
    /** The schema's library. */
    readonly vendor: string;
    /** Holds a value against the schema. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** For the compiler alone: what the schema accepts and what it returns. Not there at run time. */
    readonly types?:
      | {
          /** What the schema accepts. */
          readonly input: Input;
          /** What the schema returns. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** What a Standard Schema answers: the value, or the issues. */
export type StandardResult<Output> =
  | {
      /** What the schema has made of the value. */
      readonly value: Output;
      /** Absent on success. */
      readonly issues?: undefined;
    }
  | {
      /** Why the value does not fit. */
      readonly issues: readonly StandardIssue[];
    };

/** One issue, as a Standard Schema reports it. */
export interface StandardIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where, from the top of the value. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** The name of a field, or a position in a list. */
            readonly key: PropertyKey;
          }
      )[]
    | undefined;
}

/** What a schema accepts. */
export type SchemaInput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: infer Types };
}
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

/** What a schema returns. */
export type SchemaOutput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: infer Types };
}
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown;
