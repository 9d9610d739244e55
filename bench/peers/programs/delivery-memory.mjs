// One delivery, as any server would hand it to the receiver: without a network, as above.
import { readFileSync } from 'node:fs';
import { allocation, repeat } from './allocation.mjs';
import { report, task } from './measure.mjs';
import { prepare } from './webhooks/sdk.mjs';

const take = prepare(readFileSync(task.body, 'utf8'), () => undefined);
await repeat(take, task.warmUp);
report('delivery-allocation', task.subject, await allocation(take, 1_000));
process.exit(0);
