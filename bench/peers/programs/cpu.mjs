// CPU for each call over loopback, one at a time and 32 in flight. The server is another process.
import { cpuMicros, inFlight, report, task } from './measure.mjs';

const { connect } = await import(`./clients/${task.client}.mjs`);
const call = connect(task.baseUrl);

for (const width of [1, 32]) {
  // Half of them first: what runs for months is compiled code.
  await inFlight(call, task.calls / 2, width);
  const begun = cpuMicros();
  await inFlight(call, task.calls, width);
  report(`cpu-${width}`, task.subject, (cpuMicros() - begun) / task.calls);
}
process.exit(0);
