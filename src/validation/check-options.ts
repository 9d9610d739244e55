import * as z from 'zod/v4/mini';
import { ConfigurationError } from '../errors/index.js';
import { whyUnreadable } from '../utils/environment.js';
import { formatPath, typeName } from '../utils/issues.js';
import { isObject, isPlain } from '../utils/json.js';
import { LOG_LEVELS } from '../utils/logger.js';
import { pastedProblem } from '../utils/pasted.js';
import { didYouMean, hintFor } from '../utils/suggest.js';
import { MAX_TIMER_MS } from '../utils/waiting.js';

/** Says whose the options are, for the message of an error. */
export interface AboutOptions {
  /** The class or function that takes the options, such as `createWebhookReceiver`. */
  readonly of: string;
  /** The option that holds these, such as `baseUrls`. */
  readonly path?: string;
  /** The environment variables that replace absent options: `{ token: 'AGENT_PLATFORM_TOKEN' }`. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The fields of an options schema: one for each option, so that a forgotten one does not compile. */
export type OptionFields<Options> = { readonly [Name in keyof Required<Options>]: z.core.$ZodType };

/** One option that is missing, unknown or wrong. */
export interface OptionProblem {
  readonly option: string;
  /** The problem, as the rest of a sentence: `must be a function, got number.` */
  readonly text: string;
}

/**
 * Checks options with one schema. One error names all that are missing, unknown or wrong.
 *
 * Afterwards use the object that was given: in Zod's copy, methods lose their `this`.
 *
 * @param further - The caller's own checks. Called only for an object.
 * @throws {ConfigurationError} With a line for each option.
 */
export function checkOptions(
  schema: z.core.$ZodType,
  given: unknown,
  about: AboutOptions,
  further: () => readonly OptionProblem[] = () => [],
): void {
  if (isObject(given) && !isPlain(given)) {
    refuseOptions(about.of, [
      { option: optionName([], about), text: `must be an object, got ${typeName(given)}.` },
    ]);
  }
  const { error } = z.safeParse(schema, given, { reportInput: true });
  const found = error?.issues.flatMap((issue) => problemsOf(issue, schema, about)) ?? [];
  const problems = [...found, ...(isObject(given) ? further() : [])].map(({ option, text }) => {
    const variable = about.variables?.[option];
    const hint =
      variable === undefined ? '' : ` Set the option \`${option}\` or ${variable}.${whyUnreadable()}`;
    return { option, text: text + hint };
  });
  if (problems.length > 0) refuseOptions(about.of, problems);
}

type Defined<Options> = { [Name in keyof Options]?: Exclude<Options[Name], undefined> };

/** Returns the options without those that are undefined, which change nothing. */
export function defined<Options extends object>(options: Options): Defined<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  // The entries are its own.
  return Object.fromEntries(entries) as Defined<Options>;
}

/** Throws one `ConfigurationError`: a sentence for one problem, a list for several. */
export function refuseOptions(of: string, problems: readonly OptionProblem[]): never {
  const lines = problems.map(({ option, text }) => `${option} ${text}`);
  const summary =
    lines.length === 1
      ? `${of}: ${lines[0]}`
      : [`${of}: ${lines.length} options are missing or wrong`, ...lines].join('\n  - ');
  throw new ConfigurationError(summary, { option: problems[0]?.option ?? 'options' });
}

/** Nobody misspells more. */
const MANY_UNKNOWN = 10;

function problemsOf(issue: z.core.$ZodIssue, schema: z.core.$ZodType, about: AboutOptions): OptionProblem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    // A client of a library, in the place of the options.
    if (issue.keys.length > MANY_UNKNOWN) {
      const text = `must be an object of options, but has ${issue.keys.length} other fields.`;
      return [{ option: optionName(path, about), text }];
    }
    const known = namesAt(schema, path);
    return issue.keys.map((key) => ({
      option: optionName([...path, key], about),
      text: `is not a known option. ${hintFor(key, known, '`')}`,
    }));
  }
  return [{ option: optionName(path, about), text: problemOf(issue) }];
}

function problemOf(issue: z.core.$ZodIssue): string {
  const { input } = issue;
  if (input === undefined) return 'is missing.';
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}, got ${shown(input)}.`;
  if (issue.code === 'invalid_value') {
    const pasted = typeof input === 'string' ? pastedProblem(input) : undefined;
    if (pasted !== undefined) return `${pasted}.`;
    const values = issue.values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
    const meant = typeof input === 'string' ? didYouMean(input, issue.values.map(String)) : undefined;
    return `must be one of ${values.join(', ')}, got ${shownChoice(input)}.${meant === undefined ? '' : ` ${meant}`}`;
  }
  // The building blocks below have their own words.
  return issue.message.startsWith('must be') ? `${issue.message}, got ${shown(input)}.` : `${issue.message}.`;
}

function optionName(path: readonly PropertyKey[], { path: holder }: AboutOptions): string {
  const whole = holder === undefined ? path : [holder, ...path];
  return whole.length === 0 ? 'options' : formatPath(whole);
}

/** Returns a number as it is, anything else by its type: a text may be a secret. */
function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : typeName(value);
}

/** Returns a short word as it is, because it is a misspelt choice. A long text may be a secret. */
function shownChoice(value: unknown): string {
  return typeof value === 'string' && value.length <= 20 ? `'${value}'` : shown(value);
}

/** Returns the names of the fields of the object at a path of a schema. */
function namesAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  // Zod's own union of its schemas, discriminated by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional') return namesAt(def.innerType, path);
  const [key, ...rest] = path;
  if (def.type === 'array') return namesAt(def.element, rest);
  if (def.type !== 'object') return [];
  if (key === undefined) return Object.keys(def.shape);
  const field = def.shape[String(key)];
  return field === undefined ? [] : namesAt(field, rest);
}

/**
 * A value without a problem. A function returns the problem as the rest of a sentence: `is blank`.
 *
 * After one that begins with `must be`, the message also says the type of the value.
 */
/* @__NO_SIDE_EFFECTS__ */
export function checkedBy(
  problemIn: (value: unknown) => string | undefined,
): z.ZodMiniType<unknown, unknown> {
  return z.unknown().check(({ value, issues }) => {
    const message = problemIn(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  });
}

/** A number from `least` to `most`. */
/* @__NO_SIDE_EFFECTS__ */
export function numberBetween(least: number, most: number): z.ZodMiniType<number, number> {
  return numberWhere((value) => value >= least && value <= most, `a number from ${least} to ${most}`);
}

/** A number above 0, at most `most`. */
/* @__NO_SIDE_EFFECTS__ */
export function numberAboveZero(most: number, noun = 'a number'): z.ZodMiniType<number, number> {
  return numberWhere((value) => value > 0 && value <= most, `${noun} above 0 and at most ${most}`);
}

/** Milliseconds above 0; by default, at most the longest delay of a timer. */
/* @__NO_SIDE_EFFECTS__ */
export function milliseconds(most = MAX_TIMER_MS): z.ZodMiniType<number, number> {
  return numberAboveZero(most, 'a number of milliseconds');
}

/** An integer of at least `least`, and at most `most` if that is given. */
/* @__NO_SIDE_EFFECTS__ */
export function wholeNumber(least: number, most = Number.POSITIVE_INFINITY): z.ZodMiniType<number, number> {
  const bounds = most === Number.POSITIVE_INFINITY ? `, ${least} or more` : ` from ${least} to ${most}`;
  const isWithin = (value: number) => Number.isInteger(value) && value >= least && value <= most;
  return numberWhere(isWithin, `a whole number${bounds}`);
}

/* @__NO_SIDE_EFFECTS__ */
function numberWhere(accepts: (value: number) => boolean, rule: string): z.ZodMiniType<number, number> {
  const isAccepted = (value: unknown) => typeof value === 'number' && accepts(value);
  // A value that passes is a number.
  return checkedBy((value) => (isAccepted(value) ? undefined : `must be ${rule}`)) as z.ZodMiniType<
    number,
    number
  >;
}

/** Any function. */
export const func = /* @__PURE__ */ checkedBy((value) =>
  typeof value === 'function' ? undefined : 'must be a function',
);

/** One of these words. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const Word extends string>(words: readonly Word[]): z.ZodMiniType<Word, Word> {
  return z.enum(words);
}

/** Throws a `ConfigurationError` for an unknown name: `Unknown collection "tool". Did you mean "tools"?` */
export function checkName(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new ConfigurationError(`Unknown ${what} "${name}". ${hintFor(name, known)}`, { option: what });
}

/** An object with these methods, such as a logger; it may have more. */
/* @__NO_SIDE_EFFECTS__ */
export function methods(...names: readonly string[]): z.ZodMiniType<unknown, unknown> {
  const problem = `must be an object with the method${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  const hasMethods = (value: unknown) =>
    names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function');
  return checkedBy((value) => (hasMethods(value) ? undefined : problem));
}

/** The options of whatever logs. */
export function loggingOptions() {
  return {
    logger: z.optional(methods('error', 'warn', 'info', 'debug')),
    logLevel: z.optional(oneOf(LOG_LEVELS)),
  };
}
