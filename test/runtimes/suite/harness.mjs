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

/** Runs the checks in order, each on the fake at `fakeUrl` in its initial state; `agent` is the runtime. */
export async function run(checks, { sdk, testing, fakeUrl, agent }) {
  const { seed } = testing.createFakePlatform();
  const connect = (options) =>
    new sdk.AgentPlatform({
      region: 'eu',
      token: seed.eu.workspaceSecret,
      baseUrls: { eu: `${fakeUrl}/eu`, na: `${fakeUrl}/na` },
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
  const context = { sdk, testing, agent, eu: seed.eu, na: seed.na, connect, control, fault, requests };
  const results = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      await control('POST', '/reset', {});
      await check(context);
      results.push({ name });
    } catch (error) {
      results.push({ name, failure: String(error?.stack ?? error) });
    }
  }
  return results;
}

/** Runs the checks beside a fake in the same process, and prints the results as one line of JSON. */
export async function runBesideFake(checks, about) {
  const server = await about.testing.createFakePlatform().listen({ control: true });
  const results = await run(checks, { ...about, fakeUrl: server.url });
  await server.close();
  console.log(JSON.stringify(results));
}
