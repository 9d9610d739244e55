const { ConfigurationError } = require('agent-platform-sdk');
const { createBullMQInbox } = require('agent-platform-sdk/bullmq');
const { createRedisDedupe } = require('agent-platform-sdk/redis');

const refused = [createBullMQInbox, createRedisDedupe].map((create) => {
  try {
    return create({ prefix: 7, unheardOf: true });
  } catch (error) {
    return error instanceof ConfigurationError && error.name;
  }
});

console.log(JSON.stringify(refused));
