import { ConfigurationError } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { createRedisDedupe } from 'agent-platform-sdk/redis';

const refused = [createBullMQInbox, createRedisDedupe].map((create) => {
  try {
    return create({ prefix: 7, unheardOf: true });
  } catch (error) {
    return error instanceof ConfigurationError && error.name;
  }
});

console.log(JSON.stringify(refused));
