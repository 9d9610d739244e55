import { createBullMQInbox } from 'agent-platform-sdk/bullmq';

// Works until SIGTERM, then closes: nothing may keep this process alive after that, such as the timer of the
// stalled check, which would fire after `lockDuration`.
const inbox = createBullMQInbox({ connection: String(process.env.REDIS_URL), logLevel: 'off' });
const worker = inbox.work({ lead_captured: () => undefined }, { lockDuration: 600_000 });
process.on('SIGTERM', () => void inbox.close({ grace: 100 }));
await worker.bullmq.waitUntilReady();
console.log('working');
