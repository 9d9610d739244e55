// A worker in a process of its own. With HANGS, its handler never ends.
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';

const inbox = createBullMQInbox({ connection: process.env.REDIS_URL, queueName: 'killed', logLevel: 'off' });
const handle = async () => {
  console.log('began');
  if (process.env.HANGS) await new Promise(() => undefined);
  console.log('ended');
};
inbox.work({ lead_captured: handle }, { lockDuration: 1_000 });
process.on('SIGTERM', () => void inbox.close({ grace: 100 }));
