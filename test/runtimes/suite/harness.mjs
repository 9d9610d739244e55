/** @typedef {{ name: string, failure?: string }} Result */

/** Fails the check. */
export function fail(message) {
  throw new Error(message);
}

export function ok(condition, message) {
  if (!condition) fail(message);
}

/** Compares as JSON does. */
export function equal(actual, expected, what = 'the value') {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  ok(got === wanted, `expected ${what} to be ${wanted}, got ${got}`);
}

/** The error that a call throws or rejects with. */
export async function thrownBy(call) {
  let value;
  try {
    value = await call();
  } catch (error) {
    return error;
  }
  return fail(`expected an error, got ${JSON.stringify(value)}`);
}

/** Runs the checks one after the other, each on a fake that is as in the beginning. */
export async function run(checks, context) {
  const results = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      await context.control('POST', '/reset', {});
      await check(context);
      results.push({ name });
    } catch (error) {
      results.push({ name, failure: String(error?.stack ?? error) });
    }
  }
  return results;
}
