// The suite inside a page of a browser.
import * as sdk from 'agent-platform-sdk';
import * as testing from 'agent-platform-sdk/testing';
import { equal, thrownBy } from './harness.mjs';
import { runFarFromFake } from './index.mjs';

const refusal = {
  name: 'a browser is refused unless it is allowed',
  async check() {
    const options = { region: 'eu', token: 'a-token-of-tests', baseUrls: { eu: 'https://eu.example' } };
    const error = await thrownBy(() => new sdk.AgentPlatform(options));
    equal([error.name, error.option], ['ConfigurationError', 'dangerouslyAllowBrowser']);
    equal(new sdk.AgentPlatform({ ...options, dangerouslyAllowBrowser: true }).region, 'eu');
  },
};

/** Called from outside the page. */
globalThis.runSuite = async (about) => {
  const first = await refusal.check().then(
    () => ({ name: refusal.name }),
    (error) => ({ name: refusal.name, failure: String(error.stack) }),
  );
  return [first, ...(await runFarFromFake({ sdk, testing, inBrowser: true, ...about }))];
};
