// The worker of the quickstart, which starts it, kills it, and starts it again.
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';

const [path = '', isSlow] = process.argv.slice(2);
// The event of a worker that died is free after half a second here, instead of 30.
createSqliteInbox({ path, logLevel: 'off' }).work(
  {
    lead_captured: async ({ payload }) => {
      process.send?.(isSlow ? 'started' : `handled ${payload.leadName}`);
      if (isSlow) await new Promise(() => undefined);
    },
  },
  { lockDuration: 500 },
);
