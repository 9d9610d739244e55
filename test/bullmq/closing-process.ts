import { createBullMQInbox } from 'agent-platform-sdk/bullmq';

// Works until SIGTERM, then closes: nothing may keep this process alive after that.
const inbox = createBullMQInbox({ connection: String(process.env.REDIS_URL), logLevel: 'off' });
const worker = inbox.work({ lead_captured: () => undefined });
process.on('SIGTERM', () => void inbox.close({ grace: 100 }));
await worker.bullmq.waitUntilReady();
console.log('working');
