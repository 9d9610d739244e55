import * as z from 'zod/v4/mini';
import { anything, flag, known, type OpenEnum, requiredText, text } from './fields.js';
import { openObject } from './object.js';

// The doc comments are the words of openapi.json, up to their first tag.

/** The fields that a variable and the request that creates it have in common (specification, 2.3). */
interface VariableSettings {
  /** Where the variable is used. */
  in?: string | undefined;
  /** Type of the value. Values other than `string` are not listed. */
  type?: OpenEnum<'string'> | undefined;
  /**
   * Current value: any JSON value.
   *
   * @remarks If `isEnv` is true, `redact()` masks it as a secret, a choice of this package.
   */
  value?: unknown;
  /**
   * Default value: any JSON value.
   *
   * @remarks If `isEnv` is true, `redact()` masks it as a secret, a choice of this package.
   */
  defaultValue?: unknown;
  /** Free text. */
  description?: string | undefined;
  /** Whether the variable is required. */
  required?: boolean | undefined;
  /** Whether the variable is reusable. */
  reusable?: boolean | undefined;
  /** Whether the variable is an environment variable. */
  isEnv?: boolean | undefined;
  /** Whether the variable is a system variable. */
  isSystem?: boolean | undefined;
  /** Whether the variable persists across conversation nodes. */
  isGlobal?: boolean | undefined;
}

/**
 * A variable that configures a field of a tool (specification, 2.4, `fields`).
 *
 * The API specification doesn't say which of its fields are present.
 */
export interface VariableField extends VariableSettings {
  /** Variable id, set by the service, returned only. */
  id?: string | undefined;
  /** Name. Unique within its agent. */
  key?: string | undefined;
  /** Owning agent, returned only. */
  agentId?: string | undefined;
  /** Owner, returned only. */
  userId?: string | undefined;
}

/** A named value that belongs to an agent, as returned by its creation (specification, 2.3 and 4.2). */
export interface Variable extends VariableField {
  /**
   * Variable id, set by the service, returned only.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  id: string;
  /**
   * Name. Unique within its agent.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  key: string;
  /**
   * Type of the value. Values other than `string` are not listed.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  type: OpenEnum<'string'>;
  /**
   * Owning agent, returned only.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  agentId: string;
  /**
   * Owner, returned only.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  userId: string;
}

/** The input that creates a variable (specification, 4.2). */
export interface VariableInput extends VariableSettings {
  /** Name. Must be unique within the agent: a duplicate key returns a 400 error. */
  key: string;
  /**
   * Type of the value. The request of the specification does not list it; a sample carries it (4.2). Values
   * other than `string` are not listed.
   */
  type?: OpenEnum<'string'> | undefined;
  /**
   * Set by the service, returned only.
   *
   * @remarks Refused in a request, a choice of this package.
   */
  id?: undefined;
  /**
   * Returned only.
   *
   * @remarks Refused in a request, a choice of this package.
   */
  agentId?: undefined;
  /**
   * Returned only.
   *
   * @remarks Refused in a request, a choice of this package.
   */
  userId?: undefined;
}

/** The request body that creates a variable (specification, 4.2). */
export interface CreateVariableBody {
  /**
   * The variable to create.
   *
   * @choice Required; the specification does not say which fields are, other than `key`.
   */
  variable: VariableInput;
}

/** Schema of {@link VariableField}. */
export const VariableFieldSchema = /* @__PURE__ */ openObject(fields);

/** Schema of {@link Variable}. */
export const VariableSchema = /* @__PURE__ */ openObject(() => ({
  ...fields(),
  id: requiredText,
  type: known<'string'>(requiredText),
  key: requiredText,
  agentId: requiredText,
  userId: requiredText,
}));

/** Schema of {@link VariableInput}. */
export const VariableInputSchema = /* @__PURE__ */ openObject(() => {
  const returnedOnly = z.optional(z.never());
  return { ...fields(), id: returnedOnly, key: requiredText, agentId: returnedOnly, userId: returnedOnly };
});

/** Schema of {@link CreateVariableBody}. */
export const CreateVariableBodySchema = /* @__PURE__ */ openObject(() => ({ variable: VariableInputSchema }));

function fields() {
  return {
    id: text,
    in: text,
    type: known<'string'>(text),
    value: anything,
    defaultValue: anything,
    key: text,
    description: text,
    required: flag,
    reusable: flag,
    isEnv: flag,
    isSystem: flag,
    isGlobal: flag,
    agentId: text,
    userId: text,
  };
}
