export function ok(condition, message) {
  if (!condition) throw new Error(message);
}

/** Compares two values by their JSON. */
export function equal(actual, expected) {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  ok(got === wanted, `expected ${wanted}, got ${got}`);
}

/** Returns the error that a call throws or rejects with. */
export async function thrownBy(call) {
  let value;
  try {
    value = await call();
  } catch (error) {
    return error;
  }
  throw new Error(`expected an error, got ${JSON.stringify(value)}`);
}

/** Runs the checks in order. Returns their results. */
export async function resultsOf(checks, check) {
  const results = [];
  for (const name of Object.keys(checks)) {
    try {
      await check(checks[name]);
      results.push({ name });
    } catch (error) {
      results.push({ name, failure: String(error?.stack ?? error) });
    }
  }
  return results;
}

/** Runs the checks, each on the fake at `fakeUrl` in its initial state. `about`: the package, and the runtime. */
export function run(checks, { fakeUrl, ...about }) {
  const { sdk, testing } = about;
  const { eu } = testing.createFakePlatform().seed;
  const connect = (options) =>
    new sdk.AgentPlatform({
      region: 'eu',
      token: eu.workspaceSecret,
      baseUrls: { eu: `${fakeUrl}/eu` },
      maxRetries: 0,
      logLevel: 'off',
      ...options,
    });
  const control = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${fakeUrl}/_fake${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.json();
  };
  const fault = (settings) => control('POST', '/faults', settings);
  const requests = async () => (await control('GET', '/requests')).requests;
  return resultsOf(checks, async (check) => {
    await control('POST', '/reset', {});
    await check({ ...about, eu, connect, control, fault, requests });
  });
}
