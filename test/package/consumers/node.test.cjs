// Run by Jest. In CommonJS, Jest has no `import()` without a flag of Node (nodejs/node#51154).
test('every entry point loads, and refuses a wrong option', () => {
  const { AgentPlatform, ConfigurationError } = require('agent-platform-sdk');
  const creators = [
    (options) => new AgentPlatform(options),
    require('agent-platform-sdk/sqlite').createSqliteInbox,
    require('agent-platform-sdk/postgres').createPostgresInbox,
    require('agent-platform-sdk/bullmq').createBullMQInbox,
    require('agent-platform-sdk/redis').createRedisDedupe,
  ];
  for (const create of creators) expect(() => create({ unheardOf: true })).toThrow(ConfigurationError);
});

// jest#13398: an automock takes getters only of a module that is marked as an ES module.
test('an automock has every export', () => {
  const sdk = jest.createMockFromModule('agent-platform-sdk');
  expect(jest.requireActual('agent-platform-sdk').__esModule).toBe(true);
  const { __esModule, ...mocked } = sdk;
  expect(Object.keys(mocked).sort()).toEqual(Object.keys(jest.requireActual('agent-platform-sdk')).sort());
  expect(jest.isMockFunction(sdk.createWebhookReceiver)).toBe(true);
  expect(jest.isMockFunction(new sdk.AgentPlatform().request)).toBe(true);
});
