import { wrongType } from './issues.js';

/**
 * The Standard Schema interface (https://standardschema.dev), version 1: what Zod, Valibot, ArkType and
 * others implement, so that a custom endpoint can be declared with any of them.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** The agreement between the schema's library and its users. */
  readonly '~standard': {
    /** The version of the interface. */
    readonly version: 1;
    /** The schema's library. */
    readonly vendor: string;
    /** Validates a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** For the compiler alone: what the schema accepts and what it returns. Not there at run time. */
    readonly types?:
      | {
          /** The values that the schema accepts. */
          readonly input: Input;
          /** The values that the schema returns. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** The result of a Standard Schema: the value, or the issues. */
export type StandardResult<Output> =
  | {
      /** The value, as the schema returns it. */
      readonly value: Output;
      /** Absent on success. */
      readonly issues?: undefined;
    }
  | {
      /** The reasons why the value does not fit. */
      readonly issues: readonly StandardIssue[];
    };

/** One issue, as a Standard Schema reports it. */
export interface StandardIssue {
  /** Says what is wrong. */
  readonly message: string;
  /** The place, from the top of the value. */
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

/** The types that a schema carries. */
type TypesOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types>
  : unknown;

/** The type of the values that a schema accepts. */
export type SchemaInput<Schema> = TypesOf<Schema> extends { readonly input: infer Input } ? Input : unknown;

/** The type of the values that a schema returns. */
export type SchemaOutput<Schema> =
  TypesOf<Schema> extends { readonly output: infer Output } ? Output : unknown;

/** Makes the schema of a list, whose items another schema decides about. */
export function listOf(item: StandardSchemaV1): StandardSchemaV1 {
  const validate = async (value: unknown): Promise<StandardResult<unknown>> => {
    if (!Array.isArray(value)) return { issues: [{ message: wrongType('array', value) }] };
    const results = await Promise.all(value.map(async (one: unknown) => item['~standard'].validate(one)));
    const issues = results.flatMap((result, index) =>
      (result.issues ?? []).map(({ message, path = [] }) => ({ message, path: [index, ...path] })),
    );
    return issues.length > 0
      ? { issues }
      : { value: results.map((result) => ('value' in result ? result.value : undefined)) };
  };
  return { '~standard': { version: 1, vendor: 'agent-platform-sdk', validate } };
}

/** Whether a value is a Standard Schema. In some libraries, a schema is a function. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  return typeof (value as Partial<StandardSchemaV1> | null)?.['~standard']?.validate === 'function';
}
