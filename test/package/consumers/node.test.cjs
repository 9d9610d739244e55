// In Jest, CommonJS has no `import()` without a flag of Node (nodejs/node#51154).
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
