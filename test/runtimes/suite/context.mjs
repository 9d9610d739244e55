/**
 * Makes what every check is given.
 *
 * @param about.sdk - The package's main entry point.
 * @param about.testing - `agent-platform-sdk/testing`.
 * @param about.fakeUrl - The address of a fake that can be controlled.
 * @param about.runtime - The runtime's name in `user-agent`; undefined where no program may set that header.
 * @param about.inBrowser - True where the constructor has to be told that this is a browser.
 * @param about.addedGlobals - The globals that came with the package; undefined where nobody could look.
 */
export function contextOf({ sdk, testing, fakeUrl, runtime, inBrowser = false, addedGlobals }) {
  const { seed } = testing.createFakePlatform();
  const baseUrls = { eu: `${fakeUrl}/eu`, na: `${fakeUrl}/na` };
  const connect = (options = {}) =>
    new sdk.AgentPlatform({
      region: 'eu',
      token: seed.eu.workspaceSecret,
      baseUrls,
      maxRetries: 0,
      logLevel: 'off',
      ...(inBrowser ? { dangerouslyAllowBrowser: true } : {}),
      ...options,
    });
  const control = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${fakeUrl}/_fake${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.json();
  };
  const fault = (settings) => control('POST', '/faults', settings);
  const requests = async () => (await control('GET', '/requests')).requests;
  return {
    sdk,
    testing,
    seed,
    baseUrls,
    runtime,
    inBrowser,
    addedGlobals,
    connect,
    control,
    fault,
    requests,
  };
}
