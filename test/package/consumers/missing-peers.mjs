// Calls what needs a peer, and prints the messages of the errors. As program.cjs its imports are calls of require.
import { ConfigurationError } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';

const connection = 'redis://127.0.0.1:1';
const messages = [
  () => createBullMQInbox({ connection }),
  () => createRedisDedupe({ connection }),
  () => fakeHandlers(createFakePlatform()),
].map((call) => {
  try {
    call();
  } catch (error) {
    return error instanceof ConfigurationError ? error.message : String(error);
  }
});
console.log(JSON.stringify(messages));
