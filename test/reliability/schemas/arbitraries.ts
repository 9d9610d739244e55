import fc from 'fast-check';
import type * as z from 'zod/mini';
import { childrenOf, definitionOf, optionalInside } from './shape.js';

/** Values that the specification leaves open (`any`, and those of new fields). */
const anything = fc.jsonValue({ maxDepth: 3 });

/** The numbers of JSON: `+ 0` makes 0 of -0, which `JSON.stringify` writes as 0. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);

/** Any text, halves of surrogate pairs and NUL included. */
const text = fc.string({ unit: 'binary', maxLength: 20 });

/** Values that a schema accepts, the way a service might send them: each optional field is there or not. */
export function arbitraryOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const def = definitionOf(schema);
  switch (def.type) {
    case 'string':
      return (def.checks?.length ?? 0) > 0 ? text.filter((value) => value !== '') : text;
    case 'number':
      return number;
    case 'boolean':
      return fc.boolean();
    case 'unknown':
      return anything;
    case 'optional':
      // What must not be sent is never there.
      return definitionOf(def.innerType).type === 'never'
        ? fc.constant(undefined)
        : arbitraryOf(def.innerType);
    case 'array':
      return fc.array(arbitraryOf(def.element), { maxLength: 3 });
    case 'enum':
    case 'literal':
      return fc.constantFrom(...(schema._zod.values ?? []));
    case 'object':
      return objectOf(schema);
    default:
      // The types know no other kind; Zod does.
      throw new Error(`no schema of the document is made of ${schema._zod.def.type}`);
  }
}

function objectOf(schema: z.core.$ZodType): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(childrenOf(schema));
  const required = fields.filter(([, field]) => !optionalInside(field)).map(([name]) => name);
  const model = Object.fromEntries(fields.map(([name, field]) => [name, arbitraryOf(field)]));
  // Nine of ten optional fields of a conversation are absent on most days; here half of them are.
  return fc.record(model, { requiredKeys: required, noNullPrototype: true });
}
