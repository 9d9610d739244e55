// jest#13398: an automock takes getters only of a module that is marked as an ES module.
jest.mock('agent-platform-sdk');

test('an automock has every export', () => {
  const sdk = require('agent-platform-sdk');
  const { __esModule, ...mocked } = sdk;
  expect(Object.keys(mocked).sort()).toEqual(Object.keys(jest.requireActual('agent-platform-sdk')).sort());
  expect(jest.isMockFunction(sdk.createWebhookReceiver)).toBe(true);
  expect(jest.isMockFunction(new sdk.AgentPlatform().request)).toBe(true);
});
